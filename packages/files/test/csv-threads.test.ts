/** A text that threads read and gather: what is told, held and waited for meanwhile. */

import { describe, expect, it } from 'vitest';
import { bytesSource, openTable, type Progress, type TextTable } from '../src/index.js';
import { failing, threadsOver } from './messages.js';

/** Rows that are written in several pieces. */
const ROWS = 400_000;
const LINES = Array.from({ length: ROWS }, (_, i) => `${1_000_000 + i}\n`);
const BYTES = new Uint8Array(Buffer.from(LINES.join('')));
const ORDER = Uint32Array.from(LINES.keys()).reverse();
const CSV = { format: 'csv', header: false } as const;

const open = (byThreads: boolean): Promise<TextTable> => {
  const threads = byThreads ? threadsOver(BYTES) : undefined;
  return openTable(bytesSource("'in'", BYTES), { ...CSV, threads });
};

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 1));

it('progress rises from stretch to stretch, up to all bytes', async () => {
  const told: Progress[] = [];
  const how = { ...CSV, threads: threadsOver(BYTES) };
  await openTable(bytesSource("'in'", BYTES), how, (progress) => told.push(progress));
  const completed = told.map((progress) => progress.completed);
  expect(completed.length).toBeGreaterThan(1);
  expect(completed).toEqual([...new Set(completed)].sort((a, b) => a - b));
  expect(told.at(-1)).toEqual({ completed: BYTES.length, total: BYTES.length, unit: 'bytes' });
});

it('threads that fail leave the memory to the calling thread', async () => {
  // Of short rows, so that what one thread needs is enough for threads to try.
  const bytes = new Uint8Array(Buffer.from('1\n'.repeat(ROWS)));
  const source = bytesSource("'in'", bytes);
  const { columns, reading } = (await openTable(source, CSV)).memoryOf([0]);
  const threads = failing(bytes, 1);
  const table = await openTable(source, { ...CSV, memory: columns + reading, threads });
  expect(threads.asked).toBeGreaterThan(0);
  expect((await table.readColumn(0)).rows).toBe(ROWS);
});

it('lines of other widths are refused, wherever a stretch of a thread ends', async () => {
  // Lines of as many bytes, so that the stretches of two threads meet near their middle.
  for (const from of [999, 1000, 1001, 1002]) {
    const lines = Array.from({ length: 2000 }, (_, i) => (i < from ? '1234567\n' : '12345,7\n'));
    const bytes = new Uint8Array(Buffer.from(lines.join('')));
    const opening = (threads: object): Promise<unknown> =>
      openTable(bytesSource("'in'", bytes), { ...CSV, ...threads }).catch(
        (error: Error) => error.message,
      );
    const alone = await opening({});
    expect(alone).toMatch(new RegExp(`\\b${from + 1}\\b`));
    const threads = threadsOver(bytes);
    expect(await opening({ threads })).toBe(alone);
    expect(threads.done.length).toBeGreaterThan(0);
  }
});

describe.each([false, true])('pieces of rows that are written, by threads: %s', (byThreads) => {
  it('are given to the sink one at a time, and all are there at the end', async () => {
    const table = await open(byThreads);
    const pieces: Buffer[] = [];
    let writing = 0;
    let most = 0;
    const sink = {
      async write(bytes: Uint8Array): Promise<void> {
        most = Math.max(most, ++writing);
        await pause();
        pieces.push(Buffer.from(bytes));
        writing--;
      },
    };
    await table.writeRows(sink, ORDER, () => {});
    expect([most, pieces.length > 2]).toEqual([1, true]);
    expect(Buffer.concat(pieces).toString() === LINES.toReversed().join('')).toBe(true);
  });

  it.each(['first', 'last'])('reject if the %s one cannot be written', async (which) => {
    const table = await open(byThreads);
    let left = BYTES.length;
    const sink = {
      async write(bytes: Uint8Array): Promise<void> {
        left -= bytes.length;
        await pause();
        if (which === 'first' || left === 0) throw new Error('the disk is full');
      },
    };
    await expect(table.writeRows(sink, ORDER, () => {})).rejects.toThrow('the disk is full');
  });
});
