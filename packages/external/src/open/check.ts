/** From what a caller gives to one plan. Errors name the argument. */

import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { KEY_TYPES, type KeyType, type Order } from '@keysweep/core';
import type {
  ByteSink,
  CheckFileOptions,
  RecordKey,
  RecordLayout,
  SortFileOptions,
  SortProcess,
} from '../options.js';
import { shownAddress, withoutSecrets } from '../shown.js';
import { isAddress } from '../storage/address.js';
import type { Storage } from '../storage/storage.js';
import { bytesOf, type Key, type Layout, numberArrayClass } from './layout.js';

/** Checked arguments of `sortFile`. */
export interface Plan {
  /** Paths, or a stream. */
  readonly input: readonly string[] | AsyncIterable<Uint8Array>;
  /** A path, or a sink. */
  readonly output: string | ByteSink;
  readonly layout: Layout;
  readonly memory: number;
  readonly unique: boolean;
  readonly tmp: string | undefined;
  readonly resume: boolean;
  /** Child processes; none where the calling one sorts. */
  readonly processes: readonly SortProcess[];
}

/** More would hardly share one machine. */
const MAX_PROCESSES = 256;
/** Less holds neither a sample nor blocks of records. */
const LEAST_MEMORY = 65_536;

const OPTIONS: readonly (keyof SortFileOptions)[] = [
  'type',
  'record',
  'memory',
  'order',
  'unique',
  'tmp',
  'storage',
  'resume',
  'processes',
  'sorter',
  'signal',
  'onProgress',
  'onReport',
];

/** @throws TypeError, RangeError that name the argument */
export function checkSort(input: unknown, output: unknown, options: unknown): Plan {
  const given = propertiesOf('options', options, OPTIONS) as SortFileOptions;
  const order = checkOrder('order', given.order ?? 'ascending');
  const layout = checkLayout(given, order);
  const storage = checkStorage(given.storage);
  const processes = checkProcesses(given.processes);
  const plan = {
    input: checkInput(input, storage),
    output: checkOutput(output, storage),
    layout,
    memory: checkMemory(given.memory, layout.width, Math.max(1, processes.length)),
    unique: checkFlag('unique', given.unique),
    tmp: given.tmp === undefined ? undefined : checkPath('tmp', given.tmp, storage),
    resume: checkFlag('resume', given.resume),
    processes,
  };
  checkSorter(given.sorter);
  if (given.signal !== undefined && !(given.signal instanceof AbortSignal)) {
    throw new TypeError(`signal must be an AbortSignal, got ${describe(given.signal)}`);
  }
  for (const name of ['onProgress', 'onReport'] as const) {
    if (given[name] === undefined || typeof given[name] === 'function') continue;
    throw new TypeError(`${name} must be a function, got ${describe(given[name])}`);
  }
  if (plan.resume && (!Array.isArray(plan.input) || typeof plan.output !== 'string')) {
    throw new TypeError('resume needs paths: a stream or a sink cannot be gone on with');
  }
  if (plan.resume && [plan.output as string, plan.tmp ?? ''].some(isAddress)) {
    throw new TypeError('resume needs paths of this machine for the output and for tmp');
  }
  if (processes.length > 0) assertForProcesses(plan, given);
  return plan;
}

/** @throws TypeError, RangeError that name the argument */
export function checkCheck(
  input: unknown,
  options: unknown,
): { readonly paths: readonly string[]; readonly layout: Layout } {
  const given = propertiesOf('options', options, CHECK_OPTIONS) as CheckFileOptions;
  const storage = checkStorage(given.storage);
  const list = Array.isArray(input) ? input : [input];
  const paths = list.map((one) => checkPath('input', one, storage));
  const layout = checkLayout(given, checkOrder('order', given.order ?? 'ascending'));
  return { paths, layout };
}

const CHECK_OPTIONS: readonly (keyof CheckFileOptions)[] = [
  'type',
  'record',
  'order',
  'storage',
  'signal',
];

/** The layout that `type` or `record` describes. @throws TypeError, RangeError */
export function checkLayout(
  { type, record }: Pick<SortFileOptions, 'type' | 'record'>,
  order: Order,
): Layout {
  if ((type === undefined) === (record === undefined)) {
    throw new TypeError("give either type, such as 'u64', or record, such as { bytes: 100 }");
  }
  if (record !== undefined) return checkRecord(record, order);
  const numbers = checkType('type', type);
  if (numberArrayClass(numbers) === undefined) {
    throw new TypeError(`type 'f16' needs Float16Array, which Node.js has from version 24 on`);
  }
  const width = bytesOf(numbers);
  return { width, numbers, keys: [{ at: 0, bytes: width, type: numbers, order }] };
}

function checkRecord(given: RecordLayout, order: Order): Layout {
  const record = propertiesOf('record', given, ['bytes', 'keys']) as unknown as RecordLayout;
  const width = wholeNumber('record.bytes', record.bytes, 1, 2 ** 20);
  const keys = record.keys ?? [{ at: 0, bytes: width }];
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new TypeError(
      'record.keys must be a list of at least one key, such as ' + '[{ at: 0, bytes: 10 }]',
    );
  }
  return {
    width,
    numbers: undefined,
    keys: keys.map((key: RecordKey, i) => checkKey(`record.keys[${i}]`, key, width, order)),
  };
}

function checkKey(name: string, given: RecordKey, width: number, byDefault: Order): Key {
  const key = propertiesOf(name, given, ['at', 'bytes', 'type', 'order']) as {
    [Name in 'at' | 'bytes' | 'type' | 'order']?: unknown;
  };
  if ((key.bytes === undefined) === (key.type === undefined)) {
    throw new TypeError(`${name} must have either bytes or type`);
  }
  const type = key.type === undefined ? undefined : checkType(`${name}.type`, key.type);
  const bytes =
    type === undefined ? wholeNumber(`${name}.bytes`, key.bytes, 1, width) : bytesOf(type);
  const at = wholeNumber(`${name}.at`, key.at, 0, width);
  if (at + bytes > width) {
    throw new RangeError(
      `${name} must lie within the ${width} bytes of a record, it ends at byte ${at + bytes}`,
    );
  }
  return { at, bytes, type, order: checkOrder(`${name}.order`, key.order ?? byDefault) };
}

/** Paths, or the stream. */
function checkInput(
  given: unknown,
  storage: Storage | undefined,
): readonly string[] | AsyncIterable<Uint8Array> {
  if (Array.isArray(given)) {
    if (given.length === 0) throw new TypeError('input must name at least one file');
    return given.map((one, i) => checkPath(`input[${i}]`, one, storage));
  }
  const { [Symbol.asyncIterator]: iterate } = (given ?? {}) as Partial<AsyncIterable<Uint8Array>>;
  if (typeof iterate === 'function') return given as AsyncIterable<Uint8Array>;
  return [checkPath('input', given, storage)];
}

function checkOutput(given: unknown, storage: Storage | undefined): string | ByteSink {
  const { write } = (given ?? {}) as Partial<ByteSink>;
  return typeof write === 'function' ? (given as ByteSink) : checkPath('output', given, storage);
}

export function checkPath(name: string, given: unknown, storage: Storage | undefined): string {
  if (!(given instanceof URL) && (typeof given !== 'string' || given === '')) {
    throw new TypeError(`${name} must be a path or a URL, got ${describe(given)}`);
  }
  const path = given instanceof URL ? decoded(name, given) : given;
  if (path.startsWith('file:')) return fileURLToPath(given);
  if (!isAddress(path) || storage !== undefined) return path;
  throw new TypeError(
    `${name} must be a path or an address file:, got '${shownAddress(path)}'; other addresses ` +
      "need the option storage: for s3: it is s3Storage() of '@keysweep/external/s3'",
  );
}

/** The address with its escapes decoded: `%20` is a space. */
function decoded(name: string, { href }: URL): string {
  try {
    return decodeURIComponent(href);
  } catch {
    throw new TypeError(`${name} has an escape that is no character: '${href}'; % itself is %25`);
  }
}

export function checkStorage(given: SortFileOptions['storage']): Storage | undefined {
  if (given === undefined || typeof (given as Partial<Storage> | null)?.open === 'function') {
    return given;
  }
  throw new TypeError(`storage must be what s3Storage() returns, got ${describe(given)}`);
}

/** @throws TypeError, RangeError that name the argument */
function checkProcesses(given: SortFileOptions['processes']): readonly SortProcess[] {
  if (given === undefined) return [];
  const most = MAX_PROCESSES;
  if (!Array.isArray(given)) {
    if (typeof given === 'number') {
      return Array.from({ length: wholeNumber('processes', given, 1, most) }, () => ({}));
    }
    throw new TypeError(`processes must be a number or a list, got ${describe(given)}`);
  }
  wholeNumber('processes.length', given.length, 1, most);
  return given.map((one: unknown, i) => {
    const name = `processes[${i}]`;
    const { gpu, threads } = propertiesOf(name, one, ['gpu', 'threads']) as SortProcess;
    return {
      ...(gpu !== undefined && { gpu: wholeNumber(`${name}.gpu`, gpu, 0, most) }),
      ...(threads !== undefined && { threads: wholeNumber(`${name}.threads`, threads, 1, most) }),
    };
  });
}

/** @throws TypeError for what child processes cannot do */
function assertForProcesses({ input, output, tmp, unique }: Plan, given: SortFileOptions): void {
  const paths = [...('length' in input ? input : []), output, tmp ?? ''];
  if (paths.some((path) => typeof path !== 'string' || isAddress(path))) {
    throw new TypeError('processes need paths of this machine for the input, the output and tmp');
  }
  if (unique) throw new TypeError('unique is for one process: leave processes out');
  if (given.sorter === undefined) return;
  throw new TypeError('processes have sorters of their own: leave sorter or processes out');
}

/** Bytes that a sort of records takes at least. */
export const leastMemory = (width: number): number => Math.max(LEAST_MEMORY, 64 * width);

function checkMemory(given: unknown, width: number, processes: number): number {
  const least = processes * leastMemory(width);
  if (given === undefined) return Math.max(least, Math.floor(freemem() / 2));
  return wholeNumber('memory', given, least, Number.MAX_SAFE_INTEGER);
}

export function checkSorter(given: SortFileOptions['sorter']): void {
  for (const name of ['sort', 'argsort', 'gather'] as const) {
    if (given === undefined || typeof given[name] === 'function') continue;
    throw new TypeError(`sorter must be what createSorter() resolves to, it has no ${name}`);
  }
}

function checkFlag(name: string, given: unknown): boolean {
  if (given === undefined || typeof given === 'boolean') return given ?? false;
  throw new TypeError(`${name} must be true or false, got ${describe(given)}`);
}

function checkOrder(name: string, given: unknown): Order {
  if (given === 'ascending' || given === 'descending') return given;
  throw new TypeError(`${name} must be 'ascending' or 'descending', got ${describe(given)}`);
}

function checkType(name: string, given: unknown): KeyType {
  const found = KEY_TYPES.find((type) => type === given);
  if (found !== undefined) return found;
  throw new TypeError(`${name} must be one of ${KEY_TYPES.join(', ')}, got ${describe(given)}`);
}

export function wholeNumber(name: string, given: unknown, least: number, most: number): number {
  if (typeof given !== 'number') {
    throw new TypeError(`${name} must be a number, got ${describe(given)}`);
  }
  if (Number.isInteger(given) && given >= least && given <= most) return given;
  const limit = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  throw new RangeError(`${name} must be a whole number ${limit}, got ${given}`);
}

/** The own properties of a plain object. @throws TypeError for others, and unknown ones */
export function propertiesOf(name: string, given: unknown, known: readonly string[]): object {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw new TypeError(`${name} must be an object, got ${describe(given)}`);
  }
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return { ...given };
  throw new TypeError(`${name} has no '${unknown}'; it takes ${known.join(', ')}`);
}

/** What a value is, for people. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return `'${withoutSecrets(value)}'`;
  if (value === null || typeof value !== 'object') return String(value);
  return `an object of ${value.constructor?.name ?? 'no class'}`;
}
