/** What one call of a soak does, drawn from the run's seed and the call's number alone. */

import {
  ARRAY_CLASSES,
  type ArrayClass,
  classNamed,
  distributionsFor,
  fillWithBits,
  LENGTHS,
  Random,
} from '@keysweep/conformance/data';
import { copyOf, type Phase, type TypedArray, traitsOf } from '@keysweep/core';
import type { BackendName, KeyBits, Order } from 'keysweep';

/** One of `items`. */
export const anyOf = <T>(items: readonly T[], random: Random): T =>
  items[random.below(items.length)] as T;

/** When the caller changes its mind. */
export type Interruption =
  | { readonly kind: 'none' | 'abort before' | 'abort in a microtask' }
  | { readonly kind: 'abort later' | 'detach'; readonly milliseconds: number }
  | { readonly kind: 'abort in a phase' | 'throw in a phase'; readonly phase: Phase };

/** An array in memory of some kind, among other bytes. */
export interface Placed {
  readonly array: TypedArray;
  readonly before: TypedArray;
  /** Whether the bytes around the array are as they were. */
  readonly isAlone: () => boolean;
}

/** `twice` is two sorts of one array at once, the second in the other order. */
export type CallKind = 'sort' | 'twice' | 'toSorted' | 'sortPairs' | 'argsort';

export interface Call {
  readonly number: number;
  readonly kind: CallKind;
  /** The sorter, modulo how many there are. */
  readonly sorter: number;
  readonly backend: BackendName | 'auto';
  /** One, or several columns of an argsort. */
  readonly keys: readonly Placed[];
  readonly values: Placed | undefined;
  readonly order: Order;
  readonly segments: Uint32Array | undefined;
  readonly keyBits: KeyBits | undefined;
  readonly indices: Uint32Array | undefined;
  readonly wantsReport: boolean;
  readonly wantsProgress: boolean;
  readonly interruption: Interruption;
}

/** What calls may ask for. */
export interface Scope {
  /** 'auto', and backends by name. */
  readonly backends: readonly (BackendName | 'auto')[];
  /** Most keys for each of them. */
  readonly most: { readonly [name in BackendName | 'auto']: number };
}

/** Where ways change: tiles of GPUs, thresholds of threads, pieces; each with its neighbours. */
const EDGES: readonly number[] = [
  2304, 3328, 4096, 16_384, 65_536, 131_072, 200_000, 262_144, 524_288,
].flatMap((length) => [length - 1, length, length + 1]);

const LONGEST = 2_000_000;

function lengthOf(most: number, random: Random): number {
  const kind = random.below(20);
  // Short ones and those at boundaries come more often than they would by chance.
  const drawn =
    kind < 4
      ? random.below(41)
      : kind < 10
        ? anyOf(LENGTHS, random)
        : kind < 14
          ? anyOf(EDGES, random)
          : random.below(2 ** (4 + random.below(kind === 19 ? 18 : 13)));
  const length = Math.min(drawn, LONGEST);
  return length <= most ? length : random.below(most + 1);
}

/** `length` elements in memory of some kind, filled by `fill`. */
function place(
  { bytes, create }: ArrayClass,
  length: number,
  fill: (array: TypedArray) => void,
  random: Random,
): Placed {
  const [front, back] = random.below(2) === 0 ? [0, 0] : [random.below(9), random.below(9)];
  const size = (front + length + back) * bytes;
  const kind = random.below(6);
  const buffer =
    kind === 0
      ? new SharedArrayBuffer(size)
      : kind === 1
        ? new ArrayBuffer(size, { maxByteLength: size + 64 })
        : new ArrayBuffer(size);
  const whole = random.fill(new Uint8Array(buffer));
  const array = create(buffer, front * bytes, length);
  fill(array);
  const end = (front + length) * bytes;
  const around = (): Uint8Array =>
    Uint8Array.of(...whole.slice(0, front * bytes), ...whole.slice(end));
  const expected = around();
  return {
    array,
    before: copyOf(array),
    isAlone: () => around().every((byte, i) => byte === expected[i]),
  };
}

function segmentsOf(length: number, random: Random): Uint32Array {
  const kind = random.below(5);
  if (kind === 0) return Uint32Array.of(0, length);
  if (kind === 1) return Uint32Array.of(0, 0, length, length);
  const count = 1 + random.below(kind === 2 ? 5 : kind === 3 ? 500 : 1 + (length >>> 1));
  return Uint32Array.from({ length: count }, (_, i) =>
    i === 0 ? 0 : random.below(length + 1),
  ).sort();
}

const PHASES: readonly Phase[] = ['queue', 'start', 'pack', 'upload', 'sort', 'readback'];

function interruptionOf(random: Random): Interruption {
  const milliseconds = random.below(30);
  const phase = anyOf(PHASES, random);
  const kind = random.below(40);
  if (kind < 1) return { kind: 'abort before' };
  if (kind < 2) return { kind: 'abort in a microtask' };
  if (kind < 6) return { kind: 'abort later', milliseconds };
  if (kind < 10) return { kind: 'abort in a phase', phase };
  if (kind < 11) return { kind: 'throw in a phase', phase };
  if (kind < 12) return { kind: 'detach', milliseconds };
  return { kind: 'none' };
}

const PAYLOADS = ['Uint8Array', 'Int16Array', 'Uint32Array', 'Float32Array', 'Float64Array'];

/** Up to this length a result is compared with the oracle's; payloads are then of any type. */
export const SHORT = 5000;

const KINDS: readonly CallKind[] = [
  'sort',
  'sort',
  'sort',
  'toSorted',
  'sortPairs',
  'sortPairs',
  'argsort',
  'argsort',
  'twice',
];

/** Call `number` of the run with this seed. */
export function drawCall(seed: number, number: number, { backends, most }: Scope): Call {
  const random = new Random(seed, number);
  const kind = anyOf(KINDS, random);
  const backend = anyOf(backends, random);
  const length = lengthOf(most[backend], random);
  const isArgsort = kind === 'argsort';
  const columns = isArgsort && random.below(3) === 0 ? 2 + random.below(2) : 1;
  const keys = Array.from({ length: columns }, () => {
    const arrayClass = anyOf(ARRAY_CLASSES, random);
    const { fill } = anyOf(distributionsFor(arrayClass), random);
    return place(arrayClass, length, (array) => fill(array, random), random);
  });
  const [first] = keys as [Placed, ...Placed[]];
  const traits = traitsOf(first.array);
  const begin = random.below(traits.bits + 1);
  // Of two sorts the second gets what the first has made: whole keys then show no difference.
  const isOnce = kind !== 'twice';
  const keyBits =
    isOnce && columns === 1 && traits.kind === 'unsigned' && random.below(8) === 0
      ? { begin, end: begin + random.below(traits.bits - begin + 1) }
      : undefined;
  const values =
    kind === 'sortPairs'
      ? length <= SHORT
        ? place(classNamed(anyOf(PAYLOADS, random)), length, (a) => fillWithBits(a, random), random)
        : place(classNamed('Uint32Array'), length, numberRows, random)
      : undefined;
  const indices =
    isArgsort && length > 0 && length <= SHORT && random.below(4) === 0
      ? Uint32Array.from({ length: random.below(length) }, () => random.below(length))
      : undefined;
  const segments =
    isOnce && indices === undefined && random.below(6) === 0
      ? segmentsOf(length, random)
      : undefined;
  return {
    number,
    kind,
    sorter: random.bits(),
    backend,
    keys,
    values,
    order: random.below(2) === 0 ? 'ascending' : 'descending',
    segments,
    keyBits,
    indices,
    wantsReport: random.below(2) === 0,
    wantsProgress: random.below(2) === 0,
    interruption: isOnce ? interruptionOf(random) : { kind: 'none' },
  };
}

/** Row numbers, as payloads that are checked against the keys. */
function numberRows(array: TypedArray): void {
  const rows = array as Uint32Array;
  for (let i = 0; i < rows.length; i++) rows[i] = i;
}

/** What a call asks for, in a line. */
export function describeCall(call: Call): string {
  const { kind, backend, keys, values, order, segments, keyBits, indices, interruption } = call;
  const name = ({ array, before }: Placed): string => `${array.constructor.name}(${before.length})`;
  const parts = [
    `${kind} of ${keys.map(name).join(' + ')} by ${backend}, ${order}`,
    values && `values ${name(values)}`,
    segments && `${segments.length} segments`,
    keyBits && `bits ${keyBits.begin} to ${keyBits.end}`,
    indices && `${indices.length} indices`,
    interruption.kind === 'none' ? undefined : Object.values(interruption).join(' '),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}
