/**
 * The cost model: milliseconds of a whole call, by backend, operation, key type and length.
 * A call costs `fixed`, a time a key, and a time a byte that is moved to the backend and back.
 * Starts are counted apart, for a start is paid once.
 */

import {
  type BackendName,
  type KeyType,
  keyTraits,
  type Operation,
  plainShape,
  type RequestShape,
} from '@keysweep/core';
import { isInParts } from './memory.js';

/** Nanoseconds a key at the lengths of `LENGTHS`. In between, their logarithms are interpolated. */
type PerKey = readonly number[];

/** The lengths that `PerKey` is given at, as powers of two. */
const LENGTHS: readonly number[] = [7, 10, 14, 17, 20, 23, 26];

/**
 * Factors of the time a key, for keys of 1, 2 and 8 bytes and for floats. 32-bit integers have 1.
 */
type Weights = readonly [byte: number, short: number, long: number, float: number];

/** The figures of a backend on a kind of machine. */
export interface Costs {
  /** Their source, for people. */
  readonly of: string;
  readonly backend: BackendName;
  /** Milliseconds of a start, whatever the first sort's length. */
  readonly start: number;
  /**
   * The first sort's time a key over a later one's, 1 by default: memory is fresh, code is not
   * optimized, and threads are not there yet.
   */
  readonly cold?: number;
  /** Milliseconds a call. */
  readonly fixed: number;
  /** Time per key to sort bare 32-bit integers. */
  readonly keys: PerKey;
  /** Time per key to sort pairs or find a permutation, by 32-bit integers. */
  readonly rows: PerKey;
  /**
   * Time per key to sort rows of several columns, or by some bits of keys, if a backend sorts these
   * in another way.
   */
  readonly compared?: PerKey;
  readonly keyWeights: Weights;
  readonly rowWeights: Weights;
  /**
   * Time per key to sort bare keys, by key type ("u64" stands for both signs), if `keys` and
   * `keyWeights` do not fit because an engine sorts this type in another way.
   */
  readonly types?: Readonly<Record<string, PerKey>>;
  /**
   * Nanoseconds per byte moved to the backend or back; 0 if the time per key includes it.
   */
  readonly transfer: number;
  /**
   * Nanoseconds a key, for bare keys and for rows, that a request in parts takes longer; times the
   * weights. Absent where the backend makes no parts.
   */
  readonly parts?: readonly [keys: number, rows: number];
}

/** Measured milliseconds of warm calls, by length. */
export type Times = readonly (readonly [length: number, milliseconds: number])[];

/** The expected costs of a backend: the figures of its kind, corrected by measurements. */
export interface Estimate {
  readonly costs: Costs;
  /** Measured time over modelled time, by class; undefined where nothing was measured. */
  readonly corrections: ReadonlyMap<string, Correction> | undefined;
  /** Milliseconds to start. */
  readonly start: number;
}

/** Measured time over modelled time at some lengths; both are given as log2. */
export type Correction = readonly (readonly [length: number, ratio: number])[];

/** Milliseconds that a warm backend is expected to take for a request, the whole call. */
export function warmMilliseconds(estimate: Estimate, shape: RequestShape): number {
  const { costs, corrections } = estimate;
  const milliseconds = modelled(costs, shape);
  if (corrections === undefined || shape.length === 0) return milliseconds;
  const correction = correctionFor(corrections, shape);
  return correction === undefined
    ? milliseconds
    : milliseconds * 2 ** interpolated(correction, Math.log2(shape.length));
}

/** Milliseconds that a first sort should take, its start not counted. */
export const coldMilliseconds = (estimate: Estimate, shape: RequestShape): number =>
  warmMilliseconds(estimate, shape) * (estimate.costs.cold ?? 1);

/** Milliseconds by the figures, without corrections. */
export function modelled(costs: Costs, shape: RequestShape): number {
  const { length, operation, keyTypes, keyBits, valueBytes, segmentCount, precision } = shape;
  // The runtime's own sort has no key bits: they take a comparator.
  const isRows = operation !== 'sort' || (keyBits !== undefined && costs.backend === 'builtin');
  const weights = isRows ? costs.rowWeights : costs.keyWeights;
  const ofType = isRows ? undefined : costs.types?.[unsigned(keyTypes[0] as KeyType)];
  let weight = 0;
  let bytes = operation === 'argsort' ? 4 : 2 * valueBytes;
  for (const keyType of keyTypes) {
    // Rows that 16 bits decide are counted by these, whatever their keys.
    const isCounted = costs.backend === 'cpu' && precision === 16 && keyTraits(keyType).bits === 32;
    const { bits, kind } = keyTraits(isCounted ? 'u16' : keyType);
    const width = bits === 8 ? weights[0] : bits === 16 ? weights[1] : bits === 64 ? weights[2] : 1;
    weight += kind === 'float' ? width * weights[3] : width;
    bytes += Math.max(4, bits / 8) * (operation === 'argsort' ? 1 : 2);
  }
  // Each segment costs as much as an array of its length.
  const run = Math.log2(Math.max(1, length / segmentCount));
  const isCompared = keyTypes.length > 1 || keyBits !== undefined;
  const rows = (isCompared ? costs.compared : undefined) ?? costs.rows;
  const time = ofType ? atLength(ofType, run) : atLength(isRows ? rows : costs.keys, run) * weight;
  const [ofKeys, ofRows] = (isInParts(shape) ? costs.parts : undefined) ?? [0, 0];
  const parts = (isRows ? ofRows : ofKeys) * weight;
  const perKey = time + parts + bytes * costs.transfer;
  return costs.fixed + length * perKey * 1e-6;
}

function atLength(perKey: PerKey, log: number): number {
  let i = 1;
  while (i < LENGTHS.length - 1 && (LENGTHS[i] as number) < log) i++;
  const [from, to] = [LENGTHS[i - 1] as number, LENGTHS[i] as number];
  const share = Math.min(1, Math.max(0, (log - from) / (to - from)));
  const [before, next] = [perKey[i - 1] as number, perKey[i] as number];
  return before * (next / before) ** share;
}

/**
 * Interpolates between two lengths by their logarithms. Beyond the first or last, holds its
 * value.
 */
function interpolated(correction: Correction, log: number): number {
  let before = correction[0] as Correction[number];
  for (const next of correction) {
    if (next[0] >= log) {
      const span = next[0] - before[0];
      const share = span === 0 ? 1 : Math.max(0, (log - before[0]) / span);
      return before[1] + (next[1] - before[1]) * share;
    }
    before = next;
  }
  return before[1];
}

/**
 * The class of requests that cost the same: "sort u32". Signed integers cost what unsigned ones
 * do.
 */
export function classOf(operation: Operation, keyType: KeyType): string {
  return `${operation} ${unsigned(keyType)}`;
}

const unsigned = (keyType: KeyType): string => keyType.replace('i', 'u');

/** The correction of the request's own class, else of the most similar class that was measured. */
function correctionFor(
  corrections: ReadonlyMap<string, Correction>,
  { operation, keyTypes }: RequestShape,
): Correction | undefined {
  const keyType = keyTypes[0] as KeyType;
  const { bits, kind } = keyTraits(keyType);
  const alike: KeyType = bits === 64 ? 'f64' : kind === 'float' ? 'f32' : 'u32';
  const rows: Operation = operation === 'sortPairs' ? 'argsort' : 'sortPairs';
  return (
    corrections.get(classOf(operation, keyType)) ??
    corrections.get(classOf(operation, alike)) ??
    (operation === 'sort' ? undefined : corrections.get(classOf(rows, alike))) ??
    corrections.get(classOf(operation, 'u32'))
  );
}

/** The corrections that measured times make to the figures. */
export function correctionsOf(
  costs: Costs,
  measured: Readonly<Record<string, Times>>,
): ReadonlyMap<string, Correction> {
  const corrections = new Map<string, Correction>();
  for (const [name, times] of Object.entries(measured)) {
    const [operation, keyType] = name.split(' ') as [Operation, KeyType];
    const correction = times.map(([length, milliseconds]) => {
      const expected = modelled(costs, plainShape(operation, keyType, length));
      return [Math.log2(length), Math.log2(milliseconds / expected)] as const;
    });
    if (correction.length > 0) corrections.set(name, correction);
  }
  return corrections;
}
