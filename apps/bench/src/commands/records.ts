/**
 * `records`: records of 100 bytes with keys of 10, as in the sort benchmark (sortbenchmark.org).
 * Sorted as `keysweep sort --record 100 --key 0:10` sorts them, beside an index that is sorted by
 * Buffer.compare.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Random, runSeed } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { recordColumns, writeRecords } from '@keysweep/files';
import { createSorter, type Sorter } from 'keysweep';
import { takeTurns } from '../measure/turns.js';
import { optionalNumber, wholeNumber } from '../program/options.js';
import { formatCount, formatRatio, formatTime } from '../program/table.js';

/** Bytes of a record, and of the key that it begins with. */
const WIDTH = 100;
const KEY = 10;

export const help: string = `Makes records of ${WIDTH} bytes: a random key of ${KEY}, the record's
number, and random bytes. Sorts them by turns: with keysweep, to the bytes of the sorted records,
and an index of them by Buffer.compare, which moves no record. Checks each result of keysweep: its
order, and a checksum of all records. Prints medians.

  --count N        records (1000000)
  --runs N         turns (5)
  --threads N      threads of the CPU backend (as many as there are)
  --seed S         the same records again (a new one each time)
  --write FILE     only writes the records
  --validate FILE  only checks that FILE has the same records in order`;

export async function run(args: string[]): Promise<boolean> {
  const text = { type: 'string' } as const;
  const { values: given } = parseArgs({
    args,
    options: {
      count: { ...text, default: '1000000' },
      runs: { ...text, default: '5' },
      threads: text,
      seed: text,
      write: text,
      validate: text,
    },
  });
  const count = wholeNumber('--count', given.count, 1);
  const runs = wholeNumber('--runs', given.runs, 1);
  const threads = optionalNumber('--threads', given.threads, 1);
  const seed = optionalNumber('--seed', given.seed, 0) ?? runSeed();
  const records = makeRecords(count, seed);
  if (given.write !== undefined) {
    writeFileSync(given.write, records);
    console.log(`wrote ${formatCount(count)} records to ${given.write} (--seed ${seed})`);
    return true;
  }
  if (given.validate !== undefined) {
    const fault = faultOf(readFileSync(given.validate), checksum(records), records.length);
    console.log(`${given.validate}: ${fault ?? 'the same records, in order'} (--seed ${seed})`);
    return fault === undefined;
  }
  const { cpu } = await import('@keysweep/cpu');
  const { builtin } = await import('keysweep');
  const sorter = await createSorter({
    backends: [cpu(threads === undefined ? {} : { threads }), builtin()],
  });
  try {
    return await compare(sorter, records, runs, seed);
  } finally {
    await sorter.close();
  }
}

async function compare(
  sorter: Sorter,
  records: Uint8Array<ArrayBuffer>,
  runs: number,
  seed: number,
): Promise<boolean> {
  const sum = checksum(records);
  const count = records.length / WIDTH;
  const key = { at: 0, bytes: KEY, order: 'ascending' } as const;
  const views = keyViews(records);
  const expected = sortByCompare(views);
  const isExpected = (order: Uint32Array): boolean =>
    order.length === count && order.every((record, place) => record === expected[place]);
  const argsort = (): Promise<Uint32Array> => sorter.argsort(recordColumns(records, WIDTH, [key]));
  const turns = await takeTurns<Result>(runs, () => ({
    ways: [
      ['keysweep, the order', async () => ({ order: await argsort() })],
      [
        'keysweep, and sorted records',
        async () => {
          const order = await argsort();
          // In pieces, as a file would get them.
          const pieces: Uint8Array[] = [];
          const sink = { write: async (bytes: Uint8Array) => void pieces.push(bytes) };
          await writeRecords(sink, { bytes: records, width: WIDTH }, order, () => {});
          return { order, pieces };
        },
      ],
      ['an index by Buffer.compare', () => ({ order: sortByCompare(views) })],
    ],
    isRight({ order, pieces }) {
      const fault = pieces && faultOf(Buffer.concat(pieces), sum, records.length);
      if (fault !== undefined) console.log(`WRONG: ${fault} (--seed ${seed})`);
      return fault === undefined && isExpected(order);
    },
  }));
  const times = turns.map(({ milliseconds }) => median(milliseconds));
  const other = times.at(-1) as number;
  console.log(`${formatCount(count)} records of ${WIDTH} bytes, keys of ${KEY} (--seed ${seed})`);
  for (const [i, { name, verified }] of turns.entries()) {
    const time = times[i] as number;
    const wrong = verified ? '' : '  WRONG: another order than that of Buffer.compare';
    const ratio = formatRatio(other / time);
    console.log(`  ${name.padEnd(28)} ${formatTime(time)}  ${ratio}${wrong}`);
  }
  return turns.every(({ verified }) => verified);
}

/** What a way makes: the order of the records, and their bytes in it. */
interface Result {
  readonly order: Uint32Array;
  readonly pieces?: readonly Uint8Array[];
}

function makeRecords(count: number, seed: number): Uint8Array<ArrayBuffer> {
  const records = new Uint8Array(count * WIDTH);
  new Random(seed).fill(records);
  const view = new DataView(records.buffer);
  for (let i = 0; i < count; i++) view.setUint32(i * WIDTH + KEY, i);
  return records;
}

/** A view of each record's key. */
const keyViews = (records: Uint8Array): readonly Buffer[] =>
  Array.from({ length: records.length / WIDTH }, (_, i) =>
    Buffer.from(records.buffer, records.byteOffset + i * WIDTH, KEY),
  );

/** An index sorted by the keys. */
const sortByCompare = (keys: readonly Buffer[]): Uint32Array =>
  Uint32Array.from(keys.keys()).sort(
    (a, b) => Buffer.compare(keys[a] as Buffer, keys[b] as Buffer) || a - b,
  );

/** What is wrong with sorted records, or undefined. */
function faultOf(sorted: Uint8Array, sum: bigint, size: number): string | undefined {
  if (sorted.length !== size) return `it has ${sorted.length} bytes, not ${size}`;
  const bytes = Buffer.from(sorted.buffer, sorted.byteOffset, sorted.length);
  for (let at = WIDTH; at < size; at += WIDTH) {
    if (bytes.compare(bytes, at - WIDTH, at - WIDTH + KEY, at, at + KEY) < 0) {
      return `record ${at / WIDTH} has a smaller key than the one before`;
    }
  }
  return checksum(sorted) === sum ? undefined : 'its checksum is another: it has other records';
}

/** The sum of a hash of each record (FNV-1a), which does not depend on their order. */
function checksum(records: Uint8Array): bigint {
  let sum = 0n;
  for (let at = 0; at < records.length; at += WIDTH) {
    let hash = 0x811c9dc5;
    for (let i = at; i < at + WIDTH; i++)
      hash = Math.imul(hash ^ (records[i] as number), 0x01000193);
    sum += BigInt(hash >>> 0);
  }
  return sum;
}
