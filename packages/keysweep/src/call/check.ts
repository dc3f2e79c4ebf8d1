/**
 * Checks what a caller passes, once and for all. The result is a SortRequest whose arrays are plain
 * views of the caller's memory, with no property or prototype of the caller's, and whose options
 * have been read once.
 */

import {
  BACKEND_NAMES,
  type BackendName,
  describe,
  type KeyArray,
  type KeyBits,
  type KeyType,
  keyTraits,
  keyTypeOf,
  lengthOf,
  type Operation,
  plainView,
  type RequestShape,
  readOptions,
  type SortOptions,
  type SortRequest,
  type ValueArray,
} from '@keysweep/core';
import type { RowOptions } from './row-options.js';
import { COLUMNS_DEPTH } from './snapshot.js';

/** The names of the options that every call takes. */
export const SORT_NAMES: readonly string[] = [
  'order',
  'segments',
  'keyBits',
  'approximate',
  'backend',
  'signal',
  'onProgress',
  'onReport',
] satisfies Array<keyof SortOptions>;

/** Options of `argsort`. */
export type ArgsortOptions = SortOptions & RowOptions;

/** Options of a call that runs at once. */
export type SyncSortOptions = Pick<SortOptions, 'order' | 'segments' | 'keyBits'>;

/** Options of `argsortSync`. */
export type SyncArgsortOptions = SyncSortOptions & RowOptions;

export const ROW_NAMES: ReadonlyArray<keyof RowOptions> = ['indices', 'out', 'precision'];

/** The caller's arguments, apart from the options. */
export interface Arguments {
  readonly operation: Operation;
  readonly keys: unknown;
  readonly values?: unknown;
}

/** The part of a call that memory locks need. */
export interface CallMemory {
  readonly request: Partial<Pick<SortRequest, 'values' | 'signal' | 'onProgress'>> & {
    readonly shape: Pick<RequestShape, 'operation'>;
    readonly columns: readonly KeyArray[];
  };
  /** Arrays that results are written to. */
  readonly out?: readonly KeyArray[];
}

/** A checked call: the request for a backend, and the options that no backend needs. */
export interface Call {
  readonly request: SortRequest;
  readonly backend: BackendName | 'auto';
  readonly onReport: SortOptions['onReport'];
}

/**
 * Reads the options that a caller gave, each once, and copies bits and offsets, which the caller
 * may change later; `names` are the options that the call takes.
 * @throws TypeError if `given` is not a plain object, or has an option of another name.
 */
export function readCallOptions(given: unknown, names: readonly string[]): ArgsortOptions {
  if (typeof given === 'function') {
    throw new TypeError(
      'options must be an object, got a comparator function, which a radix sort cannot use; pass ' +
        "{ order: 'descending' } for the reverse",
    );
  }
  const options = readOptions<ArgsortOptions>(given, names);
  if (options.keyBits !== undefined) options.keyBits = readKeyBits(options.keyBits);
  const segments = checkU32('segments', options.segments, ' of start offsets');
  if (segments) options.segments = new Uint32Array(segments);
  return options;
}

/** Whether no option but an order was given. Keys can then be sorted without a request. */
export function isOrderAlone(options: SortOptions): boolean {
  for (const name in options) {
    if (name !== 'order' && options[name as keyof SortOptions] !== undefined) return false;
  }
  return true;
}

/**
 * Checks a call's arguments, and options that have been read already.
 * @throws TypeError for a wrong type, a detached buffer, or options that do not fit the keys.
 * @throws RangeError for numbers and offsets that are out of range, and for different lengths.
 */
export function checkCall(given: Arguments, options: SortOptions): Call {
  const request = checkSyncCall(given, options);
  const { shape } = request;
  const { signal, onProgress, backend, onReport } = checkControls(options);
  const approximate = checkApproximate(options.approximate, shape.keyTypes);
  return {
    request: { ...request, shape: { ...shape, approximate }, signal, onProgress },
    backend,
    onReport,
  };
}

/** Checks the options that do not change the result. */
export function checkControls(
  options: SortOptions,
): Pick<Call, 'backend' | 'onReport'> & Pick<SortRequest, 'signal' | 'onProgress'> {
  return {
    signal: checkSignal(options.signal),
    // Whoever serves the call makes progress of the whole of it.
    onProgress: checkCallback('onProgress', options.onProgress) as SortRequest['onProgress'],
    backend: checkBackend(options.backend),
    onReport: checkCallback('onReport', options.onReport),
  };
}

/** Checks the arguments of a call that runs at once. @throws as `checkCall`. */
export function checkSyncCall(
  { operation, keys, values }: Arguments,
  options: SyncSortOptions,
): SortRequest {
  const columns = checkColumns(operation, keys);
  const length = lengthOf(columns[0]);
  const payload = operation === 'sortPairs' ? checkValues(values, columns[0], length) : undefined;
  const keyTypes = columns.map((column) => keyTypeOf(column) as KeyType);
  const segments = checkSegments(options.segments, length);
  const shape: RequestShape = {
    operation,
    keyTypes,
    valueBytes: (payload?.BYTES_PER_ELEMENT ?? 0) as RequestShape['valueBytes'],
    length,
    order: checkOrder(options.order),
    segmentCount: segments?.length ?? 1,
    keyBits: checkKeyBits(options.keyBits, keyTypes),
    approximate: false,
  };
  return { shape, columns, values: payload, segments, signal: undefined, onProgress: undefined };
}

const COLUMN = 'a typed array or a column { keys: … }';

/** Checks the arrays of keys; only argsort takes several. */
function checkColumns(operation: Operation, keys: unknown): readonly [KeyArray, ...KeyArray[]] {
  if (operation !== 'argsort') return [checkArray('keys', keys)];
  if (!Array.isArray(keys)) return [checkArray('keys', keys, COLUMN)];
  if (keys.length === 0) {
    throw new TypeError('keys must be a typed array or a list of them, got an empty list');
  }
  const columns = Array.from({ length: keys.length }, (_, i) =>
    checkArray(`keys[${i}]`, keys[i], COLUMN),
  );
  const length = lengthOf(columns[0] as KeyArray);
  columns.forEach((column, i) => {
    if (lengthOf(column) === length) return;
    throw new RangeError(
      `all columns must be of one length, but keys[0] has ${length} elements ` +
        `and keys[${i}] has ${lengthOf(column)}`,
    );
  });
  return columns as [KeyArray, ...KeyArray[]];
}

/**
 * A plain view of a caller's array. Errors call the argument `name`, and say that it must be
 * `what`.
 * @throws TypeError if `value` is not a typed array, or has lost its memory.
 */
export function checkArray(name: string, value: unknown, what = 'a typed array'): KeyArray {
  if (keyTypeOf(value) === undefined) {
    const advice = adviceOn(value, what);
    throw new TypeError(`${name} must be ${what}, got ${describe(value)}${advice}`);
  }
  try {
    return plainView(value as KeyArray);
  } catch (cause) {
    throw new TypeError(
      `${name} has lost its memory: its buffer was detached (transferred) or shrunk below the view`,
      { cause },
    );
  }
}

/** Advice for a caller who passed a list as keys, or a list of something other than columns. */
function adviceOn(value: unknown, what: string): string {
  if (Array.isArray(value)) return '; convert it first, as with Float64Array.from(…)';
  if (what !== COLUMN) return isTable(value) ? '; only argsort takes columns' : '';
  if (typeof value === 'string') return '; a list of strings is the column { keys: list }';
  if (typeof value === 'number') return '; a list of numbers becomes Float64Array.from(list)';
  return '';
}

function checkValues(value: unknown, keys: KeyArray, length: number): ValueArray {
  const values = checkArray('values', value);
  if (lengthOf(values) !== length) {
    throw new RangeError(
      `values must have one element a key: keys has ${length} elements, values has ` +
        `${lengthOf(values)}`,
    );
  }
  if (overlaps(values, keys)) {
    throw new TypeError('keys and values must not overlap in memory: both are written in place');
  }
  return values;
}

export function checkOrder(order: unknown): RequestShape['order'] {
  if (order === undefined) return 'ascending';
  if (order === 'ascending' || order === 'descending') return order;
  throw new TypeError(`order must be 'ascending' or 'descending', got ${describe(order)}`);
}

/** Checks offsets that are a copy. */
export function checkSegments(
  segments: Uint32Array | undefined,
  length: number,
): Uint32Array | undefined {
  if (segments === undefined) return undefined;
  if (segments[0] !== 0) {
    throw new RangeError(`segments must start at 0, got ${segments[0] ?? 'none'}`);
  }
  for (let i = 1; i < segments.length; i++) {
    const [before, start] = [segments[i - 1] as number, segments[i] as number];
    if (start >= before && start <= length) continue;
    throw new RangeError(
      start < before
        ? `segments must not descend: offset ${i} is ${start} after ${before}`
        : `segments must lie within the ${length} keys: offset ${i} is ${start}`,
    );
  }
  return segments;
}

/**
 * Plain views of all arrays in a caller's columns, whether bare or within descriptions. What lies
 * deeper than `depth` lists and objects is no column, and may lead in a circle.
 */
export function arraysIn(given: unknown, depth: number = COLUMNS_DEPTH): readonly KeyArray[] {
  if (keyTypeOf(given) !== undefined) {
    // An array that has lost its memory has none to be locked. It is refused later.
    return lengthOf(given as KeyArray) === 0 ? [] : [plainView(given as KeyArray)];
  }
  // Lists of strings may be long.
  const isList = typeof given === 'object' && typeof (given as unknown[] | null)?.[0] !== 'string';
  if (!isList || depth === 0) return [];
  return Object.values(given ?? []).flatMap((inner) => arraysIn(inner, depth - 1));
}

/** All memory of an argsort of rows, to be locked before the call is checked. */
export function memoryOfRows(keys: unknown, options: RowOptions): CallMemory {
  return {
    request: {
      shape: { operation: 'argsort' },
      columns: [...arraysIn(keys), ...arraysIn(options.indices)],
    },
    out: arraysIn(options.out),
  };
}

/** A plain view of a Uint32Array, if given; `what` it holds is for the error. */
export function checkU32(name: string, given: unknown, what = ''): Uint32Array | undefined {
  if (given === undefined) return undefined;
  if (keyTypeOf(given) === 'u32') return checkArray(name, given) as Uint32Array;
  throw new TypeError(`${name} must be a Uint32Array${what}, got ${describe(given)}`);
}

/** Whether an option chooses rows, or where their order is written. */
export function choosesRows(options: RowOptions): boolean {
  return ROW_NAMES.some((name) => options[name] !== undefined);
}

/** Whether columns are described: one of them is an object with keys, or prepared. */
export function isTable(keys: unknown): boolean {
  const isDescription = (column: unknown): boolean =>
    typeof column === 'object' &&
    column !== null &&
    keyTypeOf(column) === undefined &&
    !Array.isArray(column) &&
    (Object.hasOwn(column, 'keys') || Object.hasOwn(column, 'ranks'));
  return Array.isArray(keys) ? keys.some(isDescription) : isDescription(keys);
}

/** Whether two arrays share memory. */
export function overlaps(a: KeyArray, b: KeyArray): boolean {
  return (
    a.buffer === b.buffer &&
    a.byteOffset < b.byteOffset + b.byteLength &&
    b.byteOffset < a.byteOffset + a.byteLength
  );
}

/** Reads the bits once, because the object may have getters with code of their own. */
export function readKeyBits(given: unknown): KeyBits {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`keyBits must be an object { begin, end }, got ${describe(given)}`);
  }
  const { begin, end } = given as KeyBits;
  for (const [name, value] of Object.entries({ begin, end })) {
    if (typeof value !== 'number') {
      throw new TypeError(`keyBits.${name} must be a number of bits, got ${describe(value)}`);
    }
  }
  return { begin, end };
}

export function checkKeyBits(
  given: KeyBits | undefined,
  keyTypes: readonly KeyType[],
): KeyBits | undefined {
  if (given === undefined) return undefined;
  const { begin, end } = given;
  for (const keyType of keyTypes) {
    const { kind, bits } = keyTraits(keyType);
    if (kind !== 'unsigned') {
      throw new TypeError(`keyBits is for unsigned integer keys, but the keys are ${keyType}`);
    }
    const areWhole = [begin, end].every(Number.isInteger);
    if (!areWhole || begin < 0 || begin > end || end > bits) {
      throw new RangeError(
        `keyBits must be whole numbers with 0 <= begin <= end <= ${bits} for ` +
          `${keyType} keys, got begin ${begin}, end ${end}`,
      );
    }
  }
  return given;
}

export function checkApproximate(given: unknown, keyTypes: readonly KeyType[]): boolean {
  if (given === undefined || given === false) return false;
  if (given !== true) {
    throw new TypeError(`approximate must be true or false, got ${describe(given)}`);
  }
  const other = keyTypes.find((keyType) => keyType !== 'f32');
  if (other !== undefined) {
    throw new TypeError(`approximate is for Float32Array keys, but the keys are ${other}`);
  }
  return true;
}

export function checkBackend(given: unknown): BackendName | 'auto' {
  if (given === undefined) return 'auto';
  const backends = ['auto', ...BACKEND_NAMES] as const;
  const named = backends.find((name) => name === given);
  if (named !== undefined) return named;
  const names = backends.map((name) => `'${name}'`).join(', ');
  throw new TypeError(`backend must be one of ${names}, got ${describe(given)}`);
}

function checkSignal(given: unknown): SortOptions['signal'] {
  if (given === undefined) return undefined;
  const signal = given as Record<string, unknown> | null;
  const isSignal =
    typeof signal?.aborted === 'boolean' &&
    typeof signal.addEventListener === 'function' &&
    typeof signal.removeEventListener === 'function';
  if (isSignal) return given as SortOptions['signal'];
  throw new TypeError(`signal must be an AbortSignal, got ${describe(given)}`);
}

function checkCallback<F>(name: string, given: F | undefined): F | undefined {
  if (given === undefined || typeof given === 'function') return given;
  throw new TypeError(`${name} must be a function, got ${describe(given)}`);
}
