/**
 * Checks what a caller passes, once. What leaves here is a SortRequest: its arrays are views of the
 * caller's memory with nothing else of the caller's, and its options were read once.
 */

import {
  type BackendName,
  type KeyArray,
  type KeyBits,
  type KeyType,
  keyTraits,
  keyTypeOf,
  lengthOf,
  type Operation,
  plainView,
  type RequestShape,
  type SortOptions,
  type SortRequest,
  type ValueArray,
} from '@keysweep/core';
import { describe } from './describe.js';
import { readOptions } from './options.js';
import { sharedSignal } from './shared-signal.js';

const BACKENDS: readonly (BackendName | 'auto')[] = ['auto', 'webgpu', 'webgl2', 'cpu', 'builtin'];

const OPTION_NAMES: readonly string[] = [
  'order',
  'segments',
  'keyBits',
  'approximate',
  'backend',
  'signal',
  'onProgress',
  'onReport',
] satisfies Array<keyof SortOptions>;

/** Options of `argsort` alone. */
export interface RowOptions {
  /**
   * Row numbers, each below the number of rows: only these rows are ordered, and the result is a
   * permutation of them. A repeated row is repeated in the result. Ties keep their order in
   * `indices`. Not together with `segments`.
   */
  indices?: Uint32Array;
  /**
   * Where the result is written, at least as long as it. A `subarray` of the result's length is
   * returned if this is longer. It must not overlap the keys; it may be `indices`, but not overlap
   * it otherwise. No other array is returned; memory for the result is taken all the same.
   */
  out?: Uint32Array;
  /**
   * Of one column: so many leading bits of the keys' range need to decide, for depths that need no
   * more. It allows a faster order where there is one. Today all bits decide: on the CPU fewer were
   * not faster.
   */
  precision?: 16 | 24;
}

/** Options of `argsort`. */
export type ArgsortOptions = SortOptions & RowOptions;

/** Options of a call that runs at once. */
export type SyncSortOptions = Pick<SortOptions, 'order' | 'segments' | 'keyBits'>;

/** Options of `argsortSync`. */
export type SyncArgsortOptions = SyncSortOptions & RowOptions;

const SYNC_NAMES: readonly string[] = ['order', 'segments', 'keyBits'] satisfies Array<
  keyof SyncSortOptions
>;
const ROW_NAMES: readonly string[] = ['indices', 'out', 'precision'] satisfies Array<
  keyof RowOptions
>;

/** What the caller passed, apart from the options. */
export interface Arguments {
  readonly operation: Operation;
  readonly keys: unknown;
  readonly values?: unknown;
}

/** The rows of an argsort, and where their order is written; undefined for what was not given. */
export interface Rows {
  readonly indices: Uint32Array | undefined;
  readonly out: Uint32Array | undefined;
  /** The caller's own `out`, to be returned where it is as long as the result. */
  readonly given: Uint32Array | undefined;
  /** The length that `out` had when the call was made. */
  readonly outLength: number;
}

/** A checked call that runs at once: the request, and the rows where they were chosen. */
export interface SyncCall {
  readonly request: SortRequest;
  readonly rows: Rows | undefined;
}

/** A checked call that may wait: with the options that no backend needs. */
export interface Call extends SyncCall {
  readonly backend: BackendName | 'auto';
  readonly onReport: SortOptions['onReport'];
}

/**
 * Checks a call's arguments.
 * @throws TypeError for a wrong type, a detached buffer, or options that do not fit the keys.
 * @throws RangeError for numbers and offsets out of range, and for different lengths.
 */
export function checkCall(given: Arguments, options: unknown): Call {
  const checked = checkOptions(given, options, OPTION_NAMES);
  const { request, rows } = checkArguments(given, checked);
  const { shape } = request;
  return {
    request: {
      ...request,
      shape: { ...shape, approximate: checkApproximate(checked.approximate, shape.keyTypes) },
      signal: checkSignal(checked.signal),
      onProgress: checkCallback('onProgress', checked.onProgress),
    },
    rows,
    backend: checkBackend(checked.backend),
    onReport: checkCallback('onReport', checked.onReport),
  };
}

/** Checks the arguments of a call that runs at once. @throws as `checkCall`. */
export function checkSyncCall(given: Arguments, options: unknown): SyncCall {
  return checkArguments(given, checkOptions(given, options, SYNC_NAMES));
}

function checkArguments(
  { operation, keys, values }: Arguments,
  options: SyncArgsortOptions,
): SyncCall {
  const bits = readKeyBits(options.keyBits);
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
    keyBits: checkKeyBits(bits, keyTypes),
    approximate: false,
  };
  return {
    request: {
      shape,
      columns,
      values: payload,
      segments,
      signal: undefined,
      onProgress: undefined,
    },
    rows: checkRows(options, columns),
  };
}

function checkOptions(
  { operation }: Arguments,
  given: unknown,
  common: readonly string[],
): ArgsortOptions {
  if (typeof given === 'function') {
    throw new TypeError(
      'options must be an object, got a comparator function: a radix sort never compares keys; ' +
        "use their own order, or { order: 'descending' }",
    );
  }
  return readOptions(given, operation === 'argsort' ? [...common, ...ROW_NAMES] : common);
}

/** Checks the arrays of keys; only argsort takes several. */
function checkColumns(operation: Operation, keys: unknown): readonly [KeyArray, ...KeyArray[]] {
  if (operation !== 'argsort' || !Array.isArray(keys)) return [checkArray('keys', keys)];
  if (keys.length === 0) {
    throw new TypeError('keys must be a typed array or a list of them, got an empty list');
  }
  const columns = Array.from({ length: keys.length }, (_, i) => checkArray(`keys[${i}]`, keys[i]));
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
 * A plain view of a caller's array; `name` is the argument's, for errors.
 * @throws TypeError for what is no typed array, or has lost its memory.
 */
export function checkArray(name: string, value: unknown): KeyArray {
  if (keyTypeOf(value) === undefined) {
    const hint = Array.isArray(value) ? '; convert it first, as with Float64Array.from(…)' : '';
    throw new TypeError(`${name} must be a typed array, got ${describe(value)}${hint}`);
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

function checkOrder(order: unknown): RequestShape['order'] {
  if (order === undefined) return 'ascending';
  if (order === 'ascending' || order === 'descending') return order;
  throw new TypeError(`order must be 'ascending' or 'descending', got ${describe(order)}`);
}

/** Copies the offsets before it checks them: the caller may change the array later. */
function checkSegments(given: unknown, length: number): Uint32Array | undefined {
  const offsets = checkU32('segments', given, ' of start offsets');
  if (offsets === undefined) return undefined;
  const segments = new Uint32Array(offsets);
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

/** Checks what chooses the rows of an argsort, apart from the indices' values. */
function checkRows(
  { indices: givenIndices, out: given, precision, segments }: SyncArgsortOptions,
  columns: readonly KeyArray[],
): Rows | undefined {
  const indices = checkU32('indices', givenIndices);
  const out = checkU32('out', given);
  if (indices === undefined && out === undefined && precision === undefined) return undefined;
  if (indices !== undefined && segments !== undefined) {
    throw new TypeError('indices and segments cannot be given together: gather the keys first');
  }
  const length = lengthOf(indices ?? (columns[0] as KeyArray));
  const outLength = out === undefined ? 0 : lengthOf(out);
  if (out !== undefined) {
    if (outLength < length) {
      throw new RangeError(`out must have room for ${length} indices, it has ${outLength}`);
    }
    if (columns.some((column) => overlaps(out, column))) {
      throw new TypeError('out must not overlap the keys: they are not written');
    }
    if (indices !== undefined && overlaps(out, indices) && !isSame(out, indices)) {
      throw new TypeError('out must be indices, or not overlap them in memory');
    }
  }
  if (precision !== undefined) {
    if (precision !== 16 && precision !== 24) {
      throw new TypeError(`precision must be 16 or 24, got ${describe(precision)}`);
    }
    if (columns.length > 1) {
      throw new TypeError(`precision is for one column of keys, got ${columns.length}`);
    }
  }
  return { indices, out, given, outLength };
}

/** A plain view of a Uint32Array, if given; `what` it holds is for the error. */
function checkU32(name: string, given: unknown, what = ''): Uint32Array | undefined {
  if (given === undefined) return undefined;
  if (keyTypeOf(given) === 'u32') return checkArray(name, given) as Uint32Array;
  throw new TypeError(`${name} must be a Uint32Array${what}, got ${describe(given)}`);
}

function overlaps(a: KeyArray, b: KeyArray): boolean {
  return (
    a.buffer === b.buffer &&
    a.byteOffset < b.byteOffset + b.byteLength &&
    b.byteOffset < a.byteOffset + a.byteLength
  );
}

const isSame = (a: KeyArray, b: KeyArray): boolean =>
  a.byteOffset === b.byteOffset && a.byteLength === b.byteLength;

/** Reads the bits once: what they are read from may have code of its own. */
function readKeyBits(given: unknown): KeyBits | undefined {
  if (given === undefined) return undefined;
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

function checkKeyBits(
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

function checkApproximate(given: unknown, keyTypes: readonly KeyType[]): boolean {
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

function checkBackend(given: unknown): BackendName | 'auto' {
  if (given === undefined) return 'auto';
  if ((BACKENDS as readonly unknown[]).includes(given)) return given as BackendName;
  const names = BACKENDS.map((name) => `'${name}'`).join(', ');
  throw new TypeError(`backend must be one of ${names}, got ${describe(given)}`);
}

function checkSignal(given: unknown): SortOptions['signal'] {
  if (given === undefined) return undefined;
  const signal = given as Record<string, unknown> | null;
  const isSignal =
    typeof signal?.aborted === 'boolean' &&
    typeof signal.addEventListener === 'function' &&
    typeof signal.removeEventListener === 'function';
  if (isSignal) return sharedSignal(given as NonNullable<SortOptions['signal']>);
  throw new TypeError(`signal must be an AbortSignal, got ${describe(given)}`);
}

function checkCallback<F>(name: string, given: F | undefined): F | undefined {
  if (given === undefined || typeof given === 'function') return given;
  throw new TypeError(`${name} must be a function, got ${describe(given)}`);
}
