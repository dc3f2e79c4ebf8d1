/**
 * Checks what workers say that they have done: the results of jobs, in the store, and the objects
 * with splitters or places of parts, in the shared folder.
 */

import { describe, type Pairs, wholeNumber } from '@keysweep/external/internal';
import { checkObject } from './check-job.js';
import { given, listOf, MAX_COUNT } from './fields.js';
import type { ChildResult, ParentResult, Shuffle, SortSpec, Stage } from './jobs.js';
import { checked } from './refused.js';

const RESULT: readonly (keyof ChildResult)[] = [
  'path',
  'sizes',
  'worker',
  'retries',
  'started',
  'ended',
  'read',
  'written',
];

/** The result of a job. @throws Refused */
export const checkResult = (
  stage: Stage,
  index: number,
  value: unknown,
  spec: SortSpec,
): ChildResult =>
  checked(`the result of a job of ${stage}`, () => {
    const result = given<ChildResult>('result', value, RESULT);
    const number = (name: keyof ChildResult): number =>
      wholeNumber(`result.${name}`, result[name], 0, MAX_COUNT);
    return {
      path: checkObject('result.path', result.path, spec, `${stage}-${index}`),
      sizes: checkSizes('result.sizes', stage, index, result.sizes, spec),
      worker: checkWorkerName('result.worker', result.worker),
      retries: number('retries'),
      started: number('started'),
      ended: number('ended'),
      read: number('read'),
      written: number('written'),
    };
  });

/** Bytes of each part in the object that a job has written. */
function checkSizes(
  name: string,
  stage: Stage,
  index: number,
  value: unknown,
  { size, parts, pieceRecords, layout: { width } }: SortSpec,
): readonly number[] {
  const sizes = listOf(name, value, (of, one) => wholeNumber(of, one, 0, size));
  const wanted = { sample: 0, partition: parts, sort: 1 }[stage];
  if (sizes.length !== wanted || sizes.some((one) => one % width !== 0)) {
    throw new RangeError(`${name} must be ${wanted} multiples of ${width}`);
  }
  if (stage === 'partition') assertSum(name, sizes, pieceBytes(index, size, pieceRecords * width));
  return sizes;
}

const pieceBytes = (index: number, size: number, most: number): number =>
  Math.min(most, size - index * most);

/** The results of all jobs of a stage, of which none is missing. @throws Refused */
export const checkTogether = (
  stage: Stage,
  results: readonly (ChildResult | undefined)[],
  { size }: SortSpec,
): readonly ChildResult[] =>
  checked(`what the jobs of ${stage} say`, () => {
    const all = results.filter((one) => one !== undefined);
    if (all.length < results.length) throw new Error('the result of one is missing');
    if (stage === 'sort') {
      const sizes = all.map((result) => result.sizes[0] as number);
      assertSum('the sizes of all parts', sizes, size);
    }
    return all;
  });

function assertSum(name: string, sizes: readonly number[], wanted: number): void {
  const sum = sizes.reduce((total, one) => total + one, 0);
  if (sum !== wanted) throw new RangeError(`${name} must be ${wanted} together, got ${sum}`);
}

/** Where the parts are, from the shared folder. @throws Refused */
export const checkShuffle = (value: unknown, spec: SortSpec): Shuffle =>
  checked('the note of where the parts are', () => {
    const objects = listOf('it', value, (name, one) => given<Shuffle[number]>(name, one, FIELDS));
    if (objects.length !== spec.pieces) throw new RangeError(`it must name ${spec.pieces} objects`);
    return objects.map(({ path, sizes }, i) => ({
      path: checkObject(`[${i}].path`, path, spec, `partition-${i}`),
      sizes: checkSizes(`[${i}].sizes`, 'partition', i, sizes, spec),
    }));
  });

const FIELDS = ['path', 'sizes'] as const;

/** What a whole sort did, from the store. @throws Refused */
export const checkSorted = (value: unknown, spec: SortSpec): ParentResult =>
  checked('the result of the sort', () => {
    const result = given<ParentResult>('result', value, SORTED);
    const times = given<ParentResult['milliseconds']>(
      'result.milliseconds',
      result.milliseconds,
      TIMES,
    );
    const number = (name: keyof ParentResult): number =>
      wholeNumber(`result.${name}`, result[name], 0, MAX_COUNT);
    const workers = Object.entries(objectOf('result.workers', result.workers));
    const [bytes, parts, pieces] = [number('bytes'), number('parts'), number('pieces')];
    if (bytes !== spec.size || parts !== spec.parts) {
      throw new RangeError(`it must be ${spec.size} bytes in ${spec.parts} parts`);
    }
    return {
      ...{ bytes, parts, pieces },
      imbalance: finite('result.imbalance', result.imbalance),
      bytesRead: number('bytesRead'),
      bytesWritten: number('bytesWritten'),
      retries: number('retries'),
      workers: Object.fromEntries(
        workers.map(([name, jobs]) => [
          checkWorkerName('result.workers', name),
          wholeNumber('result.workers', jobs, 0, MAX_COUNT),
        ]),
      ),
      milliseconds: {
        sample: finite('result.milliseconds.sample', times.sample),
        partition: finite('result.milliseconds.partition', times.partition),
        sort: finite('result.milliseconds.sort', times.sort),
        write: finite('result.milliseconds.write', times.write),
      },
    };
  });

const SORTED: readonly (keyof ParentResult)[] = [
  'bytes',
  'parts',
  'pieces',
  'imbalance',
  'bytesRead',
  'bytesWritten',
  'retries',
  'workers',
  'milliseconds',
];
const TIMES = ['sample', 'partition', 'sort', 'write'] as const;

function objectOf(name: string, value: unknown): object {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  throw new TypeError(`${name} must be an object, got ${describe(value)}`);
}

function finite(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`${name} must be a number, got ${describe(value)}`);
}

/** Reports are printed, so a worker's name has nothing that a terminal would obey. */
function checkWorkerName(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[\w.-]{1,256}$/.test(value)) return value;
  throw new TypeError(`${name} must be the name of a worker, got ${describe(value)}`);
}

/** Splitters as they are stored. */
export interface StoredPairs {
  readonly words: readonly (readonly number[])[];
  readonly places: readonly number[];
}

/** The splitters that the sample gave, of keys with `keyWords` words. @throws Refused */
export const checkPairs = (
  value: unknown,
  { parts, size, layout }: SortSpec,
  keyWords: number,
): Pairs =>
  checked('the list of splitters', () => {
    const pairs = given<StoredPairs>('it', value, ['words', 'places']);
    const numbers = (name: string, list: unknown, most: number): readonly number[] => {
      const all = listOf(name, list, (of, one) => wholeNumber(of, one, 0, most));
      if (all.length === parts - 1) return all;
      throw new RangeError(`${name} must have ${parts - 1} numbers`);
    };
    const words = listOf('words', pairs.words, (name, list) => numbers(name, list, 2 ** 32 - 1));
    const places = numbers('places', pairs.places, size / layout.width);
    if (words.length !== keyWords) throw new RangeError(`words must be ${keyWords} lists`);
    for (let i = 1; i < places.length; i++) {
      const columns = [...words, places];
      const differing = columns.find((column) => column[i] !== column[i - 1]) ?? places;
      if ((differing[i - 1] as number) > (differing[i] as number)) {
        throw new RangeError(`splitter ${i} must not be below the one before it`);
      }
    }
    return {
      words: words.map((word) => Uint32Array.from(word)),
      places: Float64Array.from(places),
    };
  });
