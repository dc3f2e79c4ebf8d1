/**
 * Parts of readers by themselves: tables of FlatBuffers, shared memory, work that threads share.
 */

import { describe, expect, it } from 'vitest';
import { FlatTable, int64At } from '../src/arrow/flatbuffer.js';
import { readTextByThreads, scanByThreads } from '../src/csv/by-threads.js';
import { readText } from '../src/csv/column.js';
import { scanLines } from '../src/csv/scan.js';
import { MemoryBudget, StepQueue } from '../src/memory.js';
import { blobSource, bytesSource, giveTo } from '../src/source.js';
import { countNulls, firstNull, packed } from '../src/stored/column.js';
import { allocateBytes } from '../src/stored/take.js';
import type { Threads, ThreadTask } from '../src/threads.js';
import { bytesOf, CSV, linesOf, newShare } from './csv-lines.js';

describe('a table of FlatBuffers', () => {
  /**
   * A buffer with a root table of six fields: a byte, a half, a word, a long, a text, and a vector
   * of two tables; field 6 is absent.
   */
  function buffer(change: (view: DataView) => void = () => {}): Uint8Array {
    const bytes = new Uint8Array(120).fill(0xee);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, 32, true);
    // The table of fields at 8: its size, that of the table, and where the fields are.
    for (const [i, value] of [18, 32, 4, 6, 8, 12, 20, 24, 0].entries()) {
      view.setUint16(8 + 2 * i, value, true);
    }
    view.setInt32(32, 32 - 8, true);
    view.setUint8(36, 200);
    view.setInt16(38, -3, true);
    view.setInt32(40, -70_000, true);
    view.setBigInt64(44, -5n, true);
    view.setUint32(52, 64 - 52, true);
    view.setUint32(56, 72 - 56, true);
    view.setUint32(64, 3, true);
    bytes.set(bytesOf('abc'), 68);
    view.setUint32(72, 2, true);
    view.setUint32(76, 32 + 2 ** 32 - 76, true);
    view.setUint32(80, 84 - 80, true);
    // The second table has no fields at all.
    view.setInt32(84, 84 - 92, true);
    view.setUint16(92, 4, true);
    change(view);
    return bytes;
  }

  const root = (change?: (view: DataView) => void) => {
    const around = new Uint8Array(130);
    around.set(buffer(change), 5);
    return FlatTable.rootOf(around.subarray(5, 125));
  };

  it('has fields by their number, or what stands for absent ones', () => {
    const table = root();
    expect([table.uint8(0, 1), table.int16(1, 1), table.int32(2, 1)]).toEqual([200, -3, -70_000]);
    expect([table.int64(3), table.text(4), table.count(4, 1)]).toEqual([-5, 'abc', 3]);
    expect([table.uint8(6, 7), table.int16(7, 8), table.int32(9, 9)]).toEqual([7, 8, 9]);
    expect([table.int64(6), table.text(6), table.count(6, 4)]).toEqual([0, '', 0]);
    expect([table.table(6), table.tables(6), table.structs(6, 8, () => 1)]).toEqual([
      undefined,
      [],
      [],
    ]);
    expect(table.place.at).toBe(32);
    expect(table.place.bytes.length).toBe(120);
  });

  it('may hold others, and vectors of structs', () => {
    const table = root((view) => view.setUint32(76, 84 - 76, true));
    const [first, second] = table.tables(5);
    expect(table.tables(5).length).toBe(2);
    for (const one of [first, second]) expect(one?.int32(0, 5)).toBe(5);
    const words = table.structs(5, 4, (struct) => struct.getUint32(0, true));
    expect(words).toEqual([8, 4]);
    expect(table.table(5)?.place.at).toBe(72);
  });

  it('has no list that is longer than the bytes that it lies in', () => {
    const of = (length: number) => root((view) => view.setUint32(64, length, true));
    expect(of(52).count(4, 1)).toBe(52);
    expect(() => of(53).count(4, 1)).toThrow(
      'a list of 53 elements is longer than what it lies in',
    );
    expect(() => of(2 ** 32 - 1).text(4)).toThrow('is longer than what it lies in');
    expect(of(13).count(4, 4)).toBe(13);
    expect(() => of(14).structs(4, 4, () => 0)).toThrow('a list of 14 elements');
    expect(() => root((view) => view.setUint32(52, 2 ** 31, true)).text(4)).toThrow(RangeError);
    expect(() => root((view) => view.setInt32(32, -(2 ** 30), true)).uint8(0, 0)).toThrow(
      RangeError,
    );
    expect(() => FlatTable.rootOf(new Uint8Array(3))).toThrow(RangeError);
  });

  it('has no length that no number holds', () => {
    const view = new DataView(new ArrayBuffer(8));
    for (const value of [0n, 2n ** 53n - 1n, -(2n ** 53n) + 1n]) {
      view.setBigInt64(0, value, true);
      expect(int64At(view, 0)).toBe(Number(value));
    }
    for (const value of [2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n]) {
      view.setBigInt64(0, value, true);
      expect(() => int64At(view, 0)).toThrow('is no length');
    }
  });
});

describe('bits of rows', () => {
  it('are one a row, of which the nulls are counted and found', () => {
    for (const rows of [0, 1, 7, 8, 9, 16, 17, 40]) {
      const values = Uint8Array.from({ length: rows }, (_, i) => Number(i % 11 !== 9));
      const bits = packed(values);
      expect(bits.length).toBe(Math.ceil(rows / 8));
      expect(countNulls(bits, rows)).toBe(values.filter((one) => one === 0).length);
      expect(firstNull(bits, rows)).toBe(values.indexOf(0));
    }
    const late = Uint8Array.of(0xff, 0xff, 0b0111_1111);
    expect([countNulls(late, 24), firstNull(late, 24)]).toEqual([1, 23]);
    expect([countNulls(late, 23), firstNull(late, 23)]).toEqual([0, -1]);
    expect([countNulls(undefined, 9), firstNull(undefined, 9)]).toEqual([0, -1]);
  });
});

describe('memory', () => {
  it('is shared if other threads see it', () => {
    expect(allocateBytes(4).buffer).toBeInstanceOf(ArrayBuffer);
    expect(allocateBytes(4, true).buffer).toBeInstanceOf(SharedArrayBuffer);
    for (const shared of [false, true]) {
      expect(() => allocateBytes(2 ** 53, shared)).toThrow(
        'not enough memory for 9007199254740992 bytes',
      );
      expect(allocateBytes(0, shared).length).toBe(0);
    }
  });

  it('is counted by steps, and given back when they end', () => {
    const memory = new MemoryBudget("'f'", 0, 100, false);
    expect([memory.hasRoom(100), memory.hasRoom(101)]).toEqual([true, false]);
    const account = memory.begin({ expected: 30 });
    expect([memory.hasRoom(70), memory.hasRoom(71)]).toEqual([true, false]);
    account.take(20);
    account.take(10);
    // What was expected is counted already.
    expect(memory.hasRoom(70)).toBe(true);
    account.take(5);
    expect([memory.hasRoom(65), memory.hasRoom(66)]).toEqual([true, false]);
    account.give(20);
    account.take(20);
    expect(memory.hasRoom(65)).toBe(true);
    expect(() => account.take(66)).toThrow();
    account.during((part) => {
      part.take(60);
      part.give(10);
      part.take(10);
    });
    account.take(60);
    expect(memory.hasRoom(6)).toBe(false);
    account.end();
    expect(memory.hasRoom(100)).toBe(true);
    account.end();
    expect(memory.hasRoom(101)).toBe(false);
    expect(() => memory.begin({ expected: 101 })).toThrow(/'f'/);
  });

  it('lets steps begin in turn: some at a time, and only if they fit', async () => {
    const memory = new MemoryBudget("'f'", 0, 100, false);
    const turns = new StepQueue(2, memory);
    const log: string[] = [];
    const ends: (() => void)[] = [];
    const step = (name: string, bytes: number) =>
      turns.wait(bytes, async () => {
        const account = memory.begin({ expected: bytes });
        log.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        account.end();
        return name;
      });
    const all = [step('a', 60), step('b', 60), step('c', 30), step('d', 10)];
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    await turn();
    // The second has no room beside the first, and none goes before it.
    expect(log).toEqual(['a']);
    ends.shift()?.();
    await turn();
    expect(log).toEqual(['a', 'b', 'c']);
    ends.shift()?.();
    await turn();
    expect(log).toEqual(['a', 'b', 'c', 'd']);
    for (const end of ends) end();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
    const failed = turns.wait(5, () => Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
    expect(await turns.wait(5, async () => 1)).toBe(1);
  });
});

describe('sources and sinks', () => {
  it('give ranges of a blob, or of bytes', async () => {
    const bytes = Uint8Array.of(1, 2, 3, 4);
    const blob = blobSource('b', new Blob([bytes]));
    const held = bytesSource('h', bytes);
    for (const source of [blob, held]) {
      expect(source.size).toBe(4);
      expect([...(await source.read(1, 3))]).toEqual([2, 3]);
    }
    expect((await held.read(1, 3)).buffer).toBe(bytes.buffer);
    const calls: string[] = [];
    const write = async () => void calls.push('write');
    const give = async () => void calls.push('give');
    await giveTo({ write }, bytes);
    await giveTo({ write, give }, bytes);
    expect(calls).toEqual(['write', 'give']);
  });
});

describe('a text by threads', () => {
  /** Threads that do their tasks here, and the tasks. */
  function threadsOf(count: number, fails: (task: ThreadTask) => boolean = () => false) {
    const tasks: ThreadTask[] = [];
    const run = async (task: ThreadTask): Promise<never> => {
      tasks.push(task);
      if (fails(task)) throw new Error('it ended');
      if (task.kind === 'parse') return readText(task.lines, task.wanted, newShare()) as never;
      if (task.kind !== 'scan') return expect.unreachable();
      task.bytes.set(text.subarray(task.stretch.first, task.stretch.end), task.stretch.first);
      return scanLines('t', task.bytes, task.stretch, task.dialect, newShare()) as never;
    };
    return { tasks, threads: { count, run } satisfies Threads };
  }

  const ROWS = Array.from({ length: 1000 }, (_, i) => `${i},"x\n${i % 7}"`);
  const text = bytesOf(`\ufeff${ROWS.join('\n')}`.replace('\ufeff', 'ï»¿'));
  const plain = bytesOf(ROWS.map((row) => row.replaceAll(/["\n]/g, '')).join('\r\n'));

  it('is read in parts, each of its own rows, and joined', async () => {
    const lines = linesOf(Array.from({ length: 10 }, (_, i) => `${i}`).join('\n'));
    for (const count of [1, 3, 4, 20]) {
      const { tasks, threads } = threadsOf(count);
      const wanted = { place: 0, from: 1, to: 10 };
      const column = await readTextByThreads(lines, wanted, threads, 1e6, newShare());
      expect([column.rows, column.type.kind]).toEqual([9, 'integer']);
      const values = column.values as { bytes: Uint8Array };
      const numbers = new BigInt64Array(values.bytes.buffer, values.bytes.byteOffset, 9);
      expect([...numbers]).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n]);
      const each = Math.ceil(9 / count);
      expect(
        tasks.map((task) => task.kind === 'parse' && [task.wanted.from, task.wanted.to]),
      ).toEqual(
        Array.from({ length: count }, (_, i) => [
          Math.min(1 + i * each, 10),
          Math.min(1 + (i + 1) * each, 10),
        ]),
      );
    }
  });

  it('has one type, that its most general part has', async () => {
    const kindOf = async (values: string[]) => {
      const { tasks, threads } = threadsOf(2);
      const lines = linesOf(values.join('\n'));
      const wanted = { place: 0, from: 0, to: values.length };
      const { type } = await readTextByThreads(lines, wanted, threads, 1e6, newShare());
      return [
        type.kind,
        tasks.length,
        tasks.at(-1)?.kind === 'parse' && (tasks.at(-1) as { wanted: { as?: string } }).wanted.as,
      ];
    };
    expect(await kindOf(['1', '2', '3', '4'])).toEqual(['integer', 2, undefined]);
    expect(await kindOf(['1', '2', '3', '4.5'])).toEqual(['float', 4, 'float']);
    expect(await kindOf(['a', '2', '3', '4'])).toEqual(['text', 4, 'text']);
    expect(await kindOf(['1.5', '2', 'x', '4'])).toEqual(['text', 4, 'text']);
  });

  it('is found in stretches that begin with lines, or not at all', async () => {
    const scan = async (
      bytes: Uint8Array<ArrayBuffer>,
      first: number,
      threads: Threads,
      limit = 2 ** 30,
    ) => {
      const memory = new MemoryBudget("'t'", 0, limit, false);
      const account = memory.begin({ expected: 0 });
      return scanByThreads(bytesSource('t', bytes), first, CSV, { threads, memory, account });
    };
    const expected = scanLines('t', plain, { first: 0, end: plain.length }, CSV, newShare());
    const here = (count: number) => ({
      count,
      run: async (task: ThreadTask) => {
        if (task.kind !== 'scan') return expect.unreachable();
        const { first, end } = task.stretch;
        task.bytes.set(plain.subarray(first, end), first);
        return scanLines('t', task.bytes, task.stretch, task.dialect, newShare());
      },
    });
    for (const count of [1, 2, 5, 64]) {
      const found = await scan(plain, 0, here(count) as Threads);
      expect(found?.rows).toBe(1000);
      expect([...(found?.starts ?? [])]).toEqual([...expected.starts]);
      expect(found?.sizes).toEqual(expected.sizes);
      expect(Buffer.from(found?.bytes ?? []).equals(Buffer.from(plain))).toBe(true);
    }
    // Quotes over lines: a stretch may begin within them, and what is found is not to be relied on.
    const { threads, tasks } = threadsOf(2);
    const quoted = await scan(text, 3, threads);
    if (quoted !== undefined) expect(quoted.rows).toBe(1000);
    expect(tasks.length).toBe(2);
    const { threads: failing } = threadsOf(
      2,
      (task) => task.kind === 'scan' && task.stretch.first > 3,
    );
    expect(await scan(text, 3, failing)).toBeUndefined();
    expect(await scan(plain, 0, here(2) as Threads, 5 * plain.length - 1)).toBeUndefined();
    expect(await scan(plain, 0, here(2) as Threads, 5 * plain.length)).toBeDefined();
    const long = bytesOf('x'.repeat(200_000));
    expect(await scan(long, 0, here(2) as Threads)).toBeUndefined();
  });
});
