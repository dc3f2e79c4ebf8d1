/** The small parts of a sort of files, each by itself: no file is opened. */

import { describe, expect, it } from 'vitest';
import { allDone } from '../dist/all-done.js';
import { atOnce } from '../dist/at-once.js';
import { joinParts, openPart, type Part, Stays } from '../dist/divide/part.js';
import { stretchesOf } from '../dist/divide/partition.js';
import { inUnits, numberArrayClass } from '../dist/open/layout.js';
import type { Run } from '../dist/open/run.js';
import type { Source } from '../dist/open/source.js';
import { ProcessPool } from '../dist/run/processes/pool.js';
import { sortParts } from '../dist/run/sort-parts.js';
import { readJson, writeJson } from '../dist/storage/json.js';
import { type Storage, type StoredStream, writeWhole } from '../dist/storage/storage.js';
import { Notes, type Written } from '../dist/write/notes.js';

/** A promise, and what settles it. */
function deferred<T>() {
  let [resolve, reject] = [(_: T): void => {}, (_: unknown): void => {}];
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('stretches', () => {
  const bounds = (from: number, end: number, count: number, width: number): number[][] =>
    stretchesOf({ from, end, mayStay: true }, count, { width } as never).map((stretch) => {
      expect(stretch.mayStay).toBe(true);
      return [stretch.from, stretch.end];
    });

  it('have whole records, as many each, but for one', () => {
    expect(bounds(0, 100, 3, 10)).toEqual([
      [0, 30],
      [30, 60],
      [60, 100],
    ]);
    expect(bounds(7, 17, 2, 5)).toEqual([
      [7, 12],
      [12, 17],
    ]);
  });

  it('are no more than there are records, and one of none', () => {
    expect(bounds(0, 8, 5, 4)).toEqual([
      [0, 4],
      [4, 8],
    ]);
    expect(bounds(4, 4, 5, 4)).toEqual([[4, 4]]);
    expect(bounds(0, 40, 1, 4)).toEqual([[0, 40]]);
    expect(stretchesOf({ from: 0, end: 4, mayStay: false }, 2, { width: 4 } as never)).toEqual([
      { from: 0, end: 4, mayStay: false },
    ]);
  });
});

it('no parts that are left to sort are sorted at once, by processes or without', async () => {
  const run = { count: { read: 0, written: 0 }, tell: () => {}, layout: { width: 4 } };
  const memoryPlan = { partBytes: 4096, pieceBytes: 4096, columnsBytes: 0, alignment: 64 } as never;
  const noted: Written[] = [];
  const note = async (written: Written): Promise<void> => void noted.push(written);
  const pool = await ProcessPool.start(run as never, [], memoryPlan, 0, []);
  await pool.sort({} as never, [], '/nowhere', 0, note);
  await pool.close();
  const room = { buffer: new ArrayBuffer(65_536) };
  const sink = { write: async () => expect.unreachable() };
  await sortParts(run as never, [], memoryPlan, room as never, { sink, note });
  expect(noted).toEqual([]);
});

describe('what stays of a part', () => {
  it('is one piece if it follows a block that stayed, with nothing filed between', () => {
    const stays = new Stays(2);
    stays.add(0, { behind: 0, from: 100, size: 10 });
    stays.add(0, { behind: 0, from: 110, size: 10 });
    stays.add(0, { behind: 5, from: 120, size: 10 });
    stays.add(0, { behind: 5, from: 140, size: 10 });
    stays.add(1, { behind: 5, from: 150, size: 1 });
    expect(stays.partOf(0, 'p', 20)).toEqual({
      paths: ['p'],
      size: 20 + 40,
      stays: [
        { behind: 0, from: 100, size: 20 },
        { behind: 5, from: 120, size: 10 },
        { behind: 5, from: 140, size: 10 },
      ],
    });
    expect(stays.partOf(1, 'q', 3).size).toBe(4);
  });

  it('comes after all files of the stretches before', () => {
    const stretch = (name: string, filed: number, ...stays: Part['stays']): Part[] => [
      { paths: [name], size: filed + stays.reduce((sum, { size }) => sum + size, 0), stays },
    ];
    const parts = joinParts([
      stretch('a', 7, { behind: 3, from: 0, size: 5 }),
      stretch('b', 0, { behind: 0, from: 50, size: 6 }),
      stretch('c', 4),
      stretch('d', 2, { behind: 2, from: 90, size: 1 }),
    ]);
    expect(parts).toEqual([
      {
        // What has no bytes in its file needs none.
        paths: ['a', 'c', 'd'],
        size: 25,
        stays: [
          { behind: 3, from: 0, size: 5 },
          { behind: 7, from: 50, size: 6 },
          { behind: 13, from: 90, size: 1 },
        ],
      },
    ]);
    expect(joinParts([])).toEqual([]);
    expect(joinParts([[...stretch('a', 1), ...stretch('b', 2)]]).length).toBe(2);
  });

  it('is read where it belongs among the filed records', async () => {
    const bytes = (from: number, n: number) => Uint8Array.from({ length: n }, (_, i) => from + i);
    const files: Record<string, Uint8Array> = { f: bytes(0, 6), g: bytes(6, 4) };
    const closed: string[] = [];
    const open = async (path: string) => {
      const file = files[path] as Uint8Array;
      return {
        ...{ size: file.length, version: '1' },
        read: async (into: Uint8Array, from: number) =>
          void into.set(file.subarray(from, from + into.length)),
        close: async () => void closed.push(path),
      };
    };
    const run = { storage: { open }, count: { read: 0 }, layout: { width: 1 } } as unknown as Run;
    const source = {
      ...{ size: 200, paths: [], versions: [] },
      read: async (into: Uint8Array, from: number) =>
        void into.set(Uint8Array.from(into, (_, i) => 100 + from + i)),
      close: async () => void closed.push('source'),
    } as unknown as Source;
    const stays = [
      { behind: 0, from: 20, size: 2 },
      { behind: 7, from: 30, size: 1 },
      { behind: 10, from: 40, size: 2 },
    ];
    const part = { paths: ['f', 'g'], size: 15, stays };
    const opened = await openPart(run, part, source);
    const all = [120, 121, 0, 1, 2, 3, 4, 5, 6, 130, 7, 8, 9, 140, 141];
    expect(opened.size).toBe(15);
    for (let from = 0; from < 15; from++) {
      for (let end = from + 1; end <= 15; end++) {
        const into = new Uint8Array(end - from);
        await opened.read(into, from);
        expect([...into]).toEqual(all.slice(from, end));
      }
    }
    await opened.close();
    // The source is still read for other parts.
    expect(closed.sort()).toEqual(['f', 'g']);
  });
});

describe('notes', () => {
  const state = (parts: number): Written => ({ parts, bytes: 10 * parts });

  it('are written one at a time, each of the latest state', async () => {
    const noted: Written[] = [];
    const turns = [deferred<void>(), deferred<void>()];
    const notes = new Notes((written) => {
      noted.push(written);
      return turns[noted.length - 1]?.promise ?? Promise.resolve();
    });
    for (const parts of [1, 2, 3]) notes.add(state(parts));
    await turn();
    expect(noted).toEqual([state(1)]);
    turns[0]?.resolve();
    await turn();
    expect(noted).toEqual([state(1), state(3)]);
    turns[1]?.resolve();
    await notes.end();
    notes.add(state(4));
    await notes.end();
    expect(noted).toEqual([state(1), state(3), state(4)]);
    await notes.end();
  });

  it('are waited for while too many parts are not noted', async () => {
    const first = deferred<void>();
    const notes = new Notes(() => first.promise);
    notes.add(state(2));
    await notes.keepUp(2);
    let isUp = false;
    const waiting = notes.keepUp(1).then(() => {
      isUp = true;
    });
    await turn();
    expect(isUp).toBe(false);
    first.resolve();
    await waiting;
    await notes.keepUp(0);
  });

  it('that fail are told of to whoever keeps up, each time', async () => {
    const error = new Error('no room');
    const notes = new Notes(() => Promise.reject(error));
    notes.add(state(1));
    await turn();
    for (const most of [5, 0]) await expect(notes.keepUp(most)).rejects.toBe(error);
    notes.add(state(2));
    await expect(notes.keepUp(5)).rejects.toBe(error);
    await expect(notes.end()).rejects.toBe(error);
  });
});

describe('several pieces of work', () => {
  it('have all ended when one has failed', async () => {
    const [one, two] = [deferred<number>(), deferred<number>()];
    let settled = '';
    const all = allDone([one.promise, two.promise]).then(
      (results) => {
        settled = results.join();
      },
      (error) => {
        settled = error.message;
      },
    );
    two.reject(new Error('two'));
    await turn();
    expect(settled).toBe('');
    one.resolve(1);
    await all;
    expect(settled).toBe('two');
    expect(await allDone([Promise.resolve(1), Promise.resolve(2)])).toEqual([1, 2]);
    const both = allDone([Promise.reject(new Error('first')), Promise.reject(new Error('second'))]);
    await expect(both).rejects.toThrow('first');
  });

  it('are under way some at a time, and none begins after a failure', async () => {
    let [running, most] = [0, 0];
    const done: number[] = [];
    const work = async (item: number): Promise<void> => {
      most = Math.max(most, ++running);
      await turn();
      running--;
      done.push(item);
      if (item === 5) throw new Error('five');
    };
    await atOnce(3, [1, 2, 3, 4, 6, 7, 8], work);
    expect([most, done.length]).toEqual([3, 7]);
    await atOnce(3, [], work);
    most = 0;
    await atOnce(3, [1, 2], work);
    expect(most).toBe(2);
    done.length = 0;
    await expect(atOnce(2, [1, 5, 2, 3, 4, 6], work)).rejects.toThrow('five');
    // The one beside it ends, and takes no other.
    expect(done.length).toBeLessThan(5);
    expect(running).toBe(0);
  });
});

describe('files that are written', () => {
  const streams = (...fails: string[]) => {
    const ended: string[] = [];
    const of = (name: string): StoredStream => ({
      write: async () => {},
      close: async () => {
        ended.push(`${name} closed`);
        if (fails.includes(`${name} close`)) throw new Error(`${name} full`);
      },
      abort: async () => {
        ended.push(`${name} aborted`);
        if (fails.includes(`${name} abort`)) throw new Error('again');
      },
    });
    return { ended, all: [of('a'), of('b')] };
  };

  it('are whole, all of them, or none', async () => {
    const { ended, all } = streams();
    expect(await writeWhole(all, async () => 7)).toBe(7);
    expect(ended).toEqual(['a closed', 'b closed']);
    const failed = streams('a abort');
    const fail = () => Promise.reject(new Error('first'));
    await expect(writeWhole(failed.all, fail)).rejects.toThrow('first');
    expect(failed.ended).toEqual(['a aborted', 'b aborted']);
    const unclosed = streams('a close');
    await expect(writeWhole(unclosed.all, async () => 7)).rejects.toThrow('a full');
    expect(unclosed.ended).toEqual(['a closed', 'b closed']);
  });

  it('may hold JSON, and are closed when it is read, or cannot be', async () => {
    let bytes = new Uint8Array(0);
    const ended: string[] = [];
    const storage = {
      write: async () => ({
        write: async (more: Uint8Array) => {
          bytes = more.slice();
        },
        close: async () => void ended.push('written'),
        abort: async () => void ended.push('aborted'),
      }),
      open: async () => ({
        ...{ size: bytes.length, version: '' },
        read: async (into: Uint8Array, from: number) => void into.set(bytes.subarray(from)),
        close: async () => void ended.push('read'),
      }),
    } as unknown as Storage;
    const value = { a: [1, 'ä'], b: null };
    await writeJson(storage, 'x', value);
    expect(await readJson(storage, 'x')).toEqual(value);
    bytes = bytes.subarray(1);
    await expect(readJson(storage, 'x')).rejects.toThrow(SyntaxError);
    expect(ended).toEqual(['written', 'read', 'read']);
  });
});

describe('records', () => {
  it('are moved in the largest units that they are whole numbers of', () => {
    const bytes = new Uint8Array(48).subarray(8, 32);
    const unitsOf = (width: number) => {
      const units = inUnits(bytes, width);
      expect([units.buffer, units.byteOffset, units.byteLength]).toEqual([bytes.buffer, 8, 24]);
      return units.BYTES_PER_ELEMENT;
    };
    expect([1, 2, 3, 4, 6, 8, 12].map(unitsOf)).toEqual([1, 2, 1, 4, 2, 4, 4]);
    expect(numberArrayClass('u32')).toBe(Uint32Array);
    expect(numberArrayClass('f64')).toBe(Float64Array);
    expect(numberArrayClass('i64')).toBe(BigInt64Array);
  });
});
