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
  const times = { order: [] as number[], all: [] as number[], compare: [] as number[] };
  let isRight = true;
  for (let turn = 0; turn <= runs; turn++) {
    const started = performance.now();
    const key = { at: 0, bytes: KEY, order: 'ascending' } as const;
    const order = await sorter.argsort(recordColumns(records, WIDTH, [key]));
    const ordered = performance.now();
    // In pieces, as a file would get them.
    const pieces: Uint8Array[] = [];
    const sink = { write: async (bytes: Uint8Array) => void pieces.push(bytes) };
    await writeRecords(sink, { bytes: records, width: WIDTH }, order, () => {});
    const done = performance.now();
    const fault = faultOf(Buffer.concat(pieces), sum, records.length);
    if (fault !== undefined) {
      console.log(`WRONG: ${fault} (--seed ${seed})`);
      isRight = false;
    }
    const index = sortByCompare(records);
    if (index.order.some((record, place) => record !== order[place])) {
      console.log(`WRONG: another order than that of Buffer.compare (--seed ${seed})`);
      isRight = false;
    }
    // The first turn warms up.
    if (turn === 0) continue;
    times.order.push(ordered - started);
    times.all.push(done - started);
    times.compare.push(index.milliseconds);
  }
  const [order, all, other] = [times.order, times.all, times.compare].map(median);
  const ratio = (time = 0): string => formatRatio((other as number) / time);
  console.log(`${formatCount(count)} records of ${WIDTH} bytes, keys of ${KEY} (--seed ${seed})`);
  console.log(`  keysweep, the order          ${formatTime(order as number)}  ${ratio(order)}`);
  console.log(`  keysweep, and sorted records ${formatTime(all as number)}  ${ratio(all)}`);
  console.log(`  an index by Buffer.compare   ${formatTime(other as number)}`);
  return isRight;
}

function makeRecords(count: number, seed: number): Uint8Array<ArrayBuffer> {
  const records = new Uint8Array(count * WIDTH);
  new Random(seed).fill(records);
  const view = new DataView(records.buffer);
  for (let i = 0; i < count; i++) view.setUint32(i * WIDTH + KEY, i);
  return records;
}

/** An index sorted by the keys, whose views are made before the clock starts. */
function sortByCompare(records: Uint8Array): { order: Uint32Array; milliseconds: number } {
  const keys = Array.from({ length: records.length / WIDTH }, (_, i) =>
    Buffer.from(records.buffer, records.byteOffset + i * WIDTH, KEY),
  );
  const order = Uint32Array.from(keys.keys());
  const started = performance.now();
  order.sort((a, b) => Buffer.compare(keys[a] as Buffer, keys[b] as Buffer) || a - b);
  return { order, milliseconds: performance.now() - started };
}

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
