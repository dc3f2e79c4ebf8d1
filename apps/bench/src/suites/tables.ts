/** `tables`: rows by several columns, strings, records, frames and first keys, beside others. */

import type { Random } from '@keysweep/conformance/data';
import { recordColumns, writeRecords } from '@keysweep/files';
import { argsort, topK } from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import type { Round, Way } from '../measure/runner.js';
import { suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';
import { requirePeer } from '../references/peers.js';

/** What a way returns: an order, if it makes one. */
type Ordered = Uint32Array | undefined;

/** A way to order the rows; the first one is keysweep's. */
type Order = readonly [name: string, run: Way<Ordered>['run']];

interface Table {
  readonly name: string;
  /** Rounds before the samples, if more than one. */
  readonly warmUps?: number;
  /** Makes a new input, and the ways to order it. */
  make(random: Random): {
    readonly ways: readonly Order[];
    isRight(order: Uint32Array): boolean;
  };
}

export const command: Command = suite({
  help: `Measures argsort of several columns, of strings, of records and of depths, and topK, beside
comparators, counting sorts, three.js and polars. Every result is checked. All of it takes some two
minutes; polars is there after 'npm run build:references'.`,
  async open(_, { random }) {
    const polars = requirePeer<Polars>('nodejs-polars');
    // By a name that no bundler follows: other machines get the benchmarks without it.
    const load = (name: string): Promise<ThreeSort> => import(name);
    const three = await load('three/examples/jsm/utils/SortUtils.js');
    const frames = [1e6, 4e6].map((length) => depths(length, three));
    const tables = [flights(polars), strings(polars), RECORDS, ...frames, FIRST];
    return {
      ...(polars === undefined && {
        intro: "Without polars: 'npm run build:references' gets it.",
      }),
      cases: tables.map(({ name, warmUps = 1, make }) => ({
        name,
        samples: 5,
        warmUps,
        makeRound(): Round<Ordered> {
          const { ways, isRight } = make(random);
          return {
            ways: ways.map(([name, run]) => ({ name, run })),
            check: (order) =>
              order === undefined || isRight(order) ? undefined : 'the rows are not in order',
          };
        },
      })),
    };
  },
});

/** The part of polars that is used here. */
interface Polars {
  DataFrame(columns: Record<string, unknown>): {
    sort(options: object): { getColumn(name: string): { toTypedArray(): ArrayLike<number> } };
  };
}

const ROWS = 1_000_000;

const numbered = (length: number): Uint32Array => Uint32Array.from({ length }, (_, i) => i);

/** Whether an order has every row once, none before one that comes earlier. */
function isOrder(order: Uint32Array, length: number, compare: (a: number, b: number) => number) {
  const seen = new Uint8Array(length);
  for (let i = 0; i < order.length; i++) {
    const row = order[i] as number;
    if (seen[row] !== 0) return false;
    seen[row] = 1;
    if (i > 0 && compare(order[i - 1] as number, row) > 0) return false;
  }
  return order.length === length;
}

function flights(polars: Polars | undefined): Table {
  return {
    name: 'flights by date, delay descending, distance',
    make(random) {
      const date = Uint16Array.from({ length: ROWS }, () => random.below(365));
      const delay = Int16Array.from({ length: ROWS }, () => {
        const late = random.below(1000) * random.below(1000) * random.below(1000);
        return Math.floor(late / 1e6) - 30;
      });
      const distance = Int16Array.from({ length: ROWS }, () => 100 + random.below(4900));
      const compare = (a: number, b: number): number =>
        (date[a] as number) - (date[b] as number) ||
        (delay[b] as number) - (delay[a] as number) ||
        (distance[a] as number) - (distance[b] as number);
      const descending = { keys: delay, order: 'descending' } as const;
      const ways: Order[] = [
        ['keysweep', () => argsort([date, descending, distance])],
        ['comparator', () => numbered(ROWS).sort(compare)],
      ];
      if (polars !== undefined) {
        const frame = polars.DataFrame({ date, delay, distance, row: numbered(ROWS) });
        const by = ['date', 'delay', 'distance'];
        const order = { by, descending: [false, true, false], maintainOrder: true };
        ways.push(['polars', () => columnOf(frame.sort(order))]);
      }
      return { ways, isRight: (order) => isOrder(order, ROWS, compare) };
    },
  };
}

const columnOf = (frame: { getColumn(name: string): { toTypedArray(): ArrayLike<number> } }) =>
  Uint32Array.from(frame.getColumn('row').toTypedArray());

function randomStrings(random: Random): string[] {
  return Array.from({ length: ROWS }, () => {
    const codes = Array.from({ length: 4 + random.below(37) }, () => 97 + random.below(26));
    return String.fromCharCode(...codes);
  });
}

/** Strings of letters: their order is that of their bytes, too. */
function strings(polars: Polars | undefined): Table {
  return {
    name: 'strings of 4 to 40 letters',
    make(random) {
      const list = randomStrings(random);
      const bytes = new TextEncoder().encode(list.join(''));
      const offsets = new Int32Array(ROWS + 1);
      for (let i = 0; i < ROWS; i++) {
        offsets[i + 1] = (offsets[i] as number) + (list[i] as string).length;
      }
      const compare = (a: number, b: number): number => {
        const [x, y] = [list[a] as string, list[b] as string];
        return x < y ? -1 : Number(x > y);
      };
      const ways: Order[] = [
        ['keysweep, Arrow', () => argsort({ keys: { offsets, bytes } })],
        ['keysweep, string[]', () => argsort({ keys: list })],
        [
          'Array.prototype.sort',
          () => {
            list.slice().sort();
            return Promise.resolve(undefined);
          },
        ],
      ];
      if (polars !== undefined) {
        const frame = polars.DataFrame({ text: list, row: numbered(ROWS) });
        const order = { by: ['text'], maintainOrder: true };
        ways.push(['polars', () => columnOf(frame.sort(order))]);
      }
      return { ways, isRight: (order) => isOrder(order, ROWS, compare) };
    },
  };
}

/** Records of 100 bytes with keys of 10, as in the sort benchmark (sortbenchmark.org). */
const RECORDS: Table = {
  name: 'records of 100 bytes by 10',
  make(random) {
    const [width, key] = [100, 10];
    const records = random.fill(new Uint8Array(width * ROWS));
    const keys = new Uint8Array(key * ROWS);
    for (let i = 0; i < ROWS; i++) {
      keys.set(records.subarray(i * width, i * width + key), i * key);
    }
    const buffer = Buffer.from(records.buffer);
    const compare = (a: number, b: number): number =>
      buffer.compare(buffer, b * width, b * width + key, a * width, a * width + key);
    let pieces: Uint8Array[] | undefined;
    const hasRecords = (sorted: Buffer, order: Uint32Array): boolean =>
      order.every((row, i) => {
        const [at, from] = [i * width, row * width];
        return buffer.compare(sorted, at, at + width, from, from + width) === 0;
      });
    return {
      ways: [
        ['keysweep', () => argsort({ keys: { width: key, bytes: keys } })],
        [
          'keysweep, sorted records',
          async () => {
            const written: Uint8Array[] = [];
            const order = await sortRecords(records, width, key, written);
            pieces = written;
            return order;
          },
        ],
        ['Buffer.compare', () => numbered(ROWS).sort(compare)],
      ],
      isRight(order) {
        const sorted = pieces;
        pieces = undefined;
        if (sorted !== undefined && !hasRecords(Buffer.concat(sorted), order)) return false;
        return isOrder(order, ROWS, compare);
      },
    };
  },
};

/** As `keysweep sort --record 100 --key 0:10` does: the records are written in pieces, in order. */
async function sortRecords(
  records: Uint8Array<ArrayBuffer>,
  width: number,
  key: number,
  pieces: Uint8Array[],
): Promise<Uint32Array> {
  const columns = recordColumns(records, width, [{ at: 0, bytes: key, order: 'ascending' }]);
  const order = await argsort(columns);
  const sink = { write: async (bytes: Uint8Array) => void pieces.push(bytes) };
  await writeRecords(sink, { bytes: records, width }, order, () => {});
  return order;
}

/** The part of three.js that is used here. */
interface ThreeSort {
  radixSort(
    rows: Uint32Array,
    options: { get(row: number): number; readonly aux: Uint32Array },
  ): void;
}

/** Depths of a frame, of which 16 bits are enough. Every row has moved since the last frame. */
function depths(length: number, { radixSort }: ThreeSort): Table {
  const out = new Uint32Array(length);
  return {
    name: `${length / 1e6} million depths by 16 bits`,
    // A frame is one of many: the first ones are compiled while threads sort.
    warmUps: 8,
    make(random) {
      const before = Float32Array.from({ length }, () => random.below(2 ** 24) / 2 ** 18);
      const last = countBySteps(before, new Uint32Array(length));
      const keys = before.map((depth) => depth + random.unit() / 4);
      const [least, most] = rangeOf(keys);
      // Each way rounds in its own manner: to a step of the range, or to some bits of a mantissa.
      const step = (most - least) / 2 ** 12;
      const compare = (a: number, b: number): number =>
        Number((keys[a] as number) > (keys[b] as number) * (1 + 2 ** -7) + step);
      const sorted = new Uint32Array(length);
      return {
        ways: [
          ['keysweep', () => argsort(keys, { precision: 16, indices: last, out })],
          ['keysweep/sync', () => argsortSync(keys, { precision: 16, indices: last, out })],
          ['keysweep, all rows', () => argsort(keys, { precision: 16, out })],
          ['keysweep/sync, all rows', () => argsortSync(keys, { precision: 16, out })],
          ['keysweep, all bits', () => argsort(keys, { out })],
          ['counting sort, by hand', () => countBySteps(keys, sorted)],
          ['three.js radixSort', () => sortAsThree(radixSort, keys, sorted)],
        ],
        isRight: (order) => isOrder(order, length, compare),
      };
    },
  };
}

/** What renderers of splats do: equal steps of the range, counted. */
function countBySteps(keys: Float32Array, sorted: Uint32Array): Uint32Array {
  const [least, most] = rangeOf(keys);
  const scale = 65_535 / (most - least || 1);
  const steps = new Uint16Array(keys.length);
  const counts = new Uint32Array(65_536);
  for (let i = 0; i < keys.length; i++) {
    const step = ((keys[i] as number) - least) * scale;
    steps[i] = step;
    (counts[step | 0] as number)++;
  }
  for (let step = 0, next = 0; step < counts.length; step++) {
    const count = counts[step] as number;
    counts[step] = next;
    next += count;
  }
  for (let i = 0; i < keys.length; i++) sorted[(counts[steps[i] as number] as number)++] = i;
  return sorted;
}

/** What three.js's examples do with instances of a `BatchedMesh`: by 2^32 steps of the range. */
function sortAsThree(
  radixSort: ThreeSort['radixSort'],
  keys: Float32Array,
  rows: Uint32Array,
): Uint32Array {
  const [least, most] = rangeOf(keys);
  const scale = (2 ** 32 - 1) / (most - least || 1);
  const steps = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i++) {
    steps[i] = ((keys[i] as number) - least) * scale;
    rows[i] = i;
  }
  radixSort(rows, { get: (row) => steps[row] as number, aux: new Uint32Array(keys.length) });
  return rows;
}

function rangeOf(keys: Float32Array): readonly [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as number;
    if (key < least) least = key;
    if (key > most) most = key;
  }
  return [least, most];
}

const FIRST: Table = {
  name: 'the first 100 of 10 million',
  make(random) {
    const [length, k] = [10_000_000, 100];
    const keys = random.fill(new Uint32Array(length));
    const expected = numbered(length)
      .filter((i) => (keys[i] as number) > 2 ** 32 - 2 ** 18)
      .sort((a, b) => (keys[b] as number) - (keys[a] as number) || a - b)
      .subarray(0, k);
    return {
      ways: [
        ['keysweep topK', async () => (await topK(keys, k)).indices],
        ['keysweep argsort', async () => firstOf(await argsort(keys, { order: 'descending' }), k)],
        ['heap', () => firstByHeap(keys, k)],
        ['keys read, by hand', () => readAll(keys)],
        ['keys copied, by hand', () => copyAll(keys)],
      ],
      isRight: (order) => order.every((row, i) => row === expected[i]) && order.length === k,
    };
  },
};

/** The least that a loop of JavaScript does: compares every key with one other. */
function readAll(keys: Uint32Array): undefined {
  let most = 0;
  for (let i = 0; i < keys.length; i++) if ((keys[i] as number) > most) most = keys[i] as number;
  if (most === 0) throw new Error('all keys are 0');
}

/** The least that compiled code needs: every key is copied, to memory that a cache holds. */
function copyAll(keys: Uint32Array): undefined {
  const room = new Uint32Array(2 ** 16);
  for (let i = 0; i < keys.length; i += room.length) room.set(keys.subarray(i, i + room.length));
}

const firstOf = (order: Uint32Array, k: number): Uint32Array => order.subarray(0, k);

/** A heap of k rows, the least on top: of equal keys, later rows are less. */
function firstByHeap(keys: Uint32Array, k: number): Uint32Array {
  const heap = numbered(k);
  const isLess = (a: number, b: number): boolean =>
    (keys[a] as number) < (keys[b] as number) || (keys[a] === keys[b] && a > b);
  const sink = (from: number): void => {
    for (let i = from; ; ) {
      let child = 2 * i + 1;
      if (child >= k) return;
      if (child + 1 < k && isLess(heap[child + 1] as number, heap[child] as number)) child++;
      if (!isLess(heap[child] as number, heap[i] as number)) return;
      [heap[i], heap[child]] = [heap[child] as number, heap[i] as number];
      i = child;
    }
  };
  for (let i = (k >> 1) - 1; i >= 0; i--) sink(i);
  let top = keys[heap[0] as number] as number;
  for (let row = k; row < keys.length; row++) {
    if ((keys[row] as number) <= top) continue;
    heap[0] = row;
    sink(0);
    top = keys[heap[0] as number] as number;
  }
  return heap.sort((a, b) => (keys[b] as number) - (keys[a] as number) || a - b);
}
