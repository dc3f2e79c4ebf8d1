/**
 * What a sort costs: milliseconds of a whole call, by backend, operation, key type and length.
 * Fixed costs, costs a key, the way to the backend and back; starting up is counted apart, for
 * it is paid once.
 */

import {
  type BackendName,
  type KeyType,
  keyTraits,
  type Operation,
  plainShape,
  type RequestShape,
} from '@keysweep/core';

/** Nanoseconds a key at the lengths of `LENGTHS`: between them logarithms go in a line. */
export type PerKey = readonly number[];

/** log2 of the lengths that `PerKey` is given at. */
export const LENGTHS: readonly number[] = [7, 10, 14, 17, 20, 23, 26];

/**
 * How many times as much other keys cost as 32-bit integers do: of 1, 2 and 8 bytes, and
 * floats.
 */
export type Weights = readonly [byte: number, short: number, long: number, float: number];

/** The figures of a backend on a kind of machine. */
export interface Costs {
  /** Where they are from, for a person. */
  readonly of: string;
  readonly backend: BackendName;
  /** Milliseconds that the first sort takes longer. */
  readonly start: number;
  /** Milliseconds a call. */
  readonly fixed: number;
  /** Keys alone, of 32-bit integers. */
  readonly keys: PerKey;
  /** Pairs and permutations, by 32-bit integers. */
  readonly rows: PerKey;
  readonly keyWeights: Weights;
  readonly rowWeights: Weights;
  /**
   * Nanoseconds a byte that goes to the backend or comes back. 0 where that is part of the cost
   * a key.
   */
  readonly transfer: number;
}

/** Measured milliseconds of warm calls, by length. */
export type Times = readonly (readonly [length: number, milliseconds: number])[];

/** What is expected of a backend: figures, and what was measured here. */
export interface Estimate {
  readonly costs: Costs;
  /** How many times as long as `costs` say, by class. */
  readonly corrections: ReadonlyMap<string, Correction> | undefined;
  /** Milliseconds to start. */
  readonly start: number;
}

/** How many times as long, at some lengths, as logarithms to base 2. */
export type Correction = readonly (readonly [length: number, ratio: number])[];

/** Milliseconds that a warm backend is expected to take for a request, in all. */
export function warmMilliseconds(estimate: Estimate, shape: RequestShape): number {
  const { costs, corrections } = estimate;
  const milliseconds = modelled(costs, shape);
  if (corrections === undefined || shape.length === 0) return milliseconds;
  const correction = correctionFor(corrections, shape);
  return correction === undefined
    ? milliseconds
    : milliseconds * 2 ** interpolated(correction, Math.log2(shape.length));
}

/** What the figures alone say. */
export function modelled(costs: Costs, shape: RequestShape): number {
  const { length, operation, keyTypes, keyBits, valueBytes, segmentCount } = shape;
  // The runtime's own sort knows no key bits: they take a comparator.
  const isRows = operation !== 'sort' || (keyBits !== undefined && costs.backend === 'builtin');
  const weights = isRows ? costs.rowWeights : costs.keyWeights;
  let weight = 0;
  let bytes = operation === 'argsort' ? 4 : 2 * valueBytes;
  for (const keyType of keyTypes) {
    const { bits, kind } = keyTraits(keyType);
    const width = bits === 8 ? weights[0] : bits === 16 ? weights[1] : bits === 64 ? weights[2] : 1;
    weight += kind === 'float' ? width * weights[3] : width;
    bytes += Math.max(4, bits / 8) * (operation === 'argsort' ? 1 : 2);
  }
  // Segments are sorted each on its own, as if they were arrays of their length.
  const run = Math.log2(Math.max(1, length / segmentCount));
  const perKey = atLength(isRows ? costs.rows : costs.keys, run) * weight + bytes * costs.transfer;
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

/** Between two lengths by their logarithms; beyond the first or last as there. */
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

/** Requests that cost the same: "sort u32". Signed integers cost what unsigned ones do. */
export function classOf(operation: Operation, keyType: KeyType): string {
  return `${operation} ${keyType.replace('i', 'u')}`;
}

/** The correction of the request's own class, else of the class that resembles it most. */
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

/** How many times as long as the figures say, by what was measured. */
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
