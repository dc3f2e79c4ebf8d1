/** Checks the arguments of `submitSort` and `runWorker`. Errors name the argument. */

import {
  checkPath,
  checkSort,
  checkSorter,
  checkStorage,
  describe,
  MAX_PARTS,
  type Plan,
  propertiesOf,
  wholeNumber,
} from '@keysweep/external/internal';
import type { Storage } from '@keysweep/external/storage';
import { MAX_ATTEMPTS, MAX_FILES } from './jobs/jobs.js';
import type { SortPlan, WorkerOptions } from './options.js';

/** Checked arguments of `submitSort`. */
export interface Submission extends Plan {
  readonly input: readonly string[];
  readonly output: string;
  readonly parts: number;
  readonly attempts: number;
  readonly queue: string;
}

const PLAN: readonly (keyof SortPlan)[] = [
  'input',
  'output',
  'type',
  'record',
  'order',
  'memory',
  'parts',
  'tmp',
  'storage',
  'attempts',
  'queue',
  'signal',
  'onProgress',
  'onReport',
];

const WORKER: readonly (keyof WorkerOptions)[] = [
  'roots',
  'concurrency',
  'queue',
  'name',
  'sorter',
  'storage',
  'lockDuration',
  'signal',
  'onError',
];

/** @throws TypeError, RangeError that name the argument */
export function checkPlan(given: unknown): Submission {
  const { input, output, parts, attempts, queue, memory, ...options } = propertiesOf(
    'plan',
    given,
    PLAN,
  ) as Partial<SortPlan>;
  const plan = checkSort(input, output, { memory: memory ?? 2 ** 28, ...options });
  const { input: paths, output: path } = plan;
  if (!('length' in paths)) throw new TypeError('input must be a path: workers share no stream');
  if (typeof path !== 'string') throw new TypeError('output must be a path: workers share no sink');
  if (paths.length > MAX_FILES) {
    throw new RangeError(`input must name at most ${MAX_FILES} files, got ${paths.length}`);
  }
  return {
    ...plan,
    input: paths,
    output: path,
    parts: wholeNumber('parts', parts ?? 1, 1, MAX_PARTS),
    attempts: wholeNumber('attempts', attempts ?? 5, 1, MAX_ATTEMPTS),
    queue: checkName('queue', queue, 'keysweep'),
  };
}

/** Checked options of `runWorker`. */
export type CheckedWorker = Omit<
  WorkerOptions,
  'roots' | 'name' | 'queue' | 'concurrency' | 'lockDuration'
> &
  Required<Pick<WorkerOptions, 'queue' | 'concurrency' | 'lockDuration'>> & {
    readonly roots: readonly string[];
    readonly name: string | undefined;
  };

/** @throws TypeError, RangeError that name the argument */
export function checkWorker(given: unknown): CheckedWorker {
  const options = propertiesOf('options', given, WORKER) as WorkerOptions;
  const { concurrency, lockDuration, queue, name, signal, onError } = options;
  checkSorter(options.sorter);
  const storage = checkStorage(options.storage);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError(`signal must be an AbortSignal, got ${describe(signal)}`);
  }
  if (onError !== undefined && typeof onError !== 'function') {
    throw new TypeError(`onError must be a function, got ${describe(onError)}`);
  }
  return {
    ...options,
    roots: checkRoots(options.roots, storage),
    concurrency: wholeNumber('concurrency', concurrency ?? 1, 1, 256),
    lockDuration: wholeNumber('lockDuration', lockDuration ?? 30_000, 1000, 3_600_000),
    queue: checkName('queue', queue, 'keysweep'),
    name: name === undefined ? undefined : checkName('name', name, ''),
  };
}

function checkRoots(given: unknown, storage: Storage | undefined): readonly string[] {
  if (!Array.isArray(given) || given.length === 0) {
    throw new TypeError(
      'roots must be a list of the folders that the worker may read and write, such as ' +
        `['/shared', 's3://bucket/prefix'], got ${describe(given)}`,
    );
  }
  return given.map((root, i) => checkPath(`roots[${i}]`, root, storage));
}

function checkName(what: string, given: unknown, byDefault: string): string {
  if (given === undefined) return byDefault;
  if (typeof given === 'string' && /^[\w.-]+$/.test(given)) return given;
  throw new TypeError(`${what} must be letters, digits, '.', '-' and '_', got ${describe(given)}`);
}
