/** Rows that threads move, beside a loop over their bytes. */

import { serve } from '@keysweep/conformance';
import { runSeed } from '@keysweep/conformance/data';
import { ClosedError, type Move, runAtOnce, type TypedArray } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { afterAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { Arena } from '../src/arena/arena.js';
import { gatherInArena } from '../src/gather/gather.js';

const random = testRandom();
const backend = cpu({ threads: 2 });
afterAll(() => backend.close());

const bytesOf = ({ buffer, byteOffset, byteLength }: TypedArray): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

/** A source of random bytes, and a target for `count` of its rows. */
function move<T extends TypedArray>(
  Class: new (length: number) => T,
  { rows, stride, count }: { rows: number; stride: number; count: number },
): Move {
  const source = new Class(rows * stride);
  random.fill(new Uint8Array(source.buffer));
  return { source, target: new Class(count * stride), stride, isNew: false };
}

const orderOf = (count: number, rows: number): Uint32Array =>
  Uint32Array.from({ length: count }, () => random.below(rows));

function expectMoved(order: Uint32Array, { source, target, stride }: Move): void {
  const width = stride * source.BYTES_PER_ELEMENT;
  const from = bytesOf(source);
  const expected = Buffer.alloc(order.length * width);
  for (const [i, row] of order.entries()) {
    from.copy(expected, i * width, row * width, (row + 1) * width);
  }
  expect(bytesOf(target).equals(expected)).toBe(true);
}

describe(`gather (KEYSWEEP_SEED=${runSeed()})`, () => {
  // Pieces are of 2^15 rows.
  it.each([0, 1, 2 ** 15, 2 ** 15 + 1, 100_000])('moves %i rows of every width', async (count) => {
    const rows = 1000;
    const order = orderOf(count, rows);
    const strides = { rows, count };
    const moves = [
      ...[1, 3, 100].map((stride) => move(Uint8Array, { ...strides, stride })),
      ...[1, 2].map((stride) => move(Int16Array, { ...strides, stride })),
      ...[1, 4, 5].map((stride) => move(Float32Array, { ...strides, stride })),
      ...[1, 2, 4, 7].map((stride) => move(BigInt64Array, { ...strides, stride })),
    ];
    expect(await backend.gather?.({ order, moves })).toBe(true);
    for (const one of moves) expectMoved(order, one);
  });

  it('moves rows beside sorts', async () => {
    const order = orderOf(300_000, 5000);
    const one = move(Float64Array, { rows: 5000, stride: 1, count: order.length });
    const keys = random.fill(new Uint32Array(600_000));
    const sorted = keys.slice().sort();
    const sorting = serve(backend, 'sort', [keys], {});
    await Promise.all([sorting, backend.gather?.({ order, moves: [one] })]);
    expect(bytesOf(keys).equals(bytesOf(sorted))).toBe(true);
    expectMoved(order, one);
  });

  it.each([1, 2, 3, 4, 5, 7, 8, 9])('sees an index that is beyond, of %i rows', async (count) => {
    for (let at = 0; at < count; at++) {
      const order = new Uint32Array(count);
      order[at] = 10;
      const one = move(Uint32Array, { rows: 10, stride: 1, count });
      expect(await backend.gather?.({ order, moves: [one] })).toBe(false);
      expect(bytesOf(one.target).every((byte) => byte === 0)).toBe(true);
    }
  });

  it('writes nothing if an index is beyond one of the sources', async () => {
    const order = orderOf(70_000, 400);
    order[69_999] = 400;
    const moves = [
      move(Float32Array, { rows: 1000, stride: 1, count: order.length }),
      move(Uint8Array, { rows: 400, stride: 3, count: order.length }),
    ];
    for (const { target } of moves) random.fill(new Uint8Array(target.buffer));
    const before = moves.map(({ target }) => Buffer.from(bytesOf(target)));
    expect(await backend.gather?.({ order, moves })).toBe(false);
    expect(moves.map(({ target }, i) => bytesOf(target).equals(before[i] as Buffer))).toEqual([
      true,
      true,
    ]);
    // The next request is not told of it.
    order[69_999] = 0;
    expect(await backend.gather?.({ order, moves })).toBe(true);
    for (const one of moves) expectMoved(order, one);
  });

  it('copies rows out once, those first that a thread tells of', async () => {
    const order = orderOf(70_000, 1000);
    const one = move(Int32Array, { rows: 1000, stride: 3, count: order.length });
    const arena = new Arena();
    const moved = await gatherInArena(
      { order, moves: [one] },
      arena,
      1,
      async ({ gather: { targetAt } }, stage, onMoved) => {
        await stage(() => {});
        const rows = new Int32Array(arena.memory.buffer, targetAt, one.target.length);
        rows.fill(5);
        onMoved(100);
        rows.fill(7);
        onMoved(100);
        onMoved(40_000);
        rows.fill(9);
        return { isBeyond: false };
      },
      runAtOnce,
    );
    expect(moved).toBe(true);
    const expected = new Int32Array(one.target.length).fill(9).fill(7, 0, 120_000).fill(5, 0, 300);
    expect(bytesOf(one.target).equals(bytesOf(expected))).toBe(true);
  });

  it('rejects if a target is detached while rows are copied to it', async () => {
    const order = orderOf(70_000, 1000);
    const one = move(Int32Array, { rows: 1000, stride: 1, count: order.length });
    let isDone = false;
    const moving = gatherInArena(
      { order, moves: [one] },
      new Arena(),
      1,
      async (_, stage, onMoved) => {
        await stage(() => {});
        structuredClone(one.target.buffer, { transfer: [one.target.buffer as ArrayBuffer] });
        // The job is to go on to its end: threads are at work in the arena.
        onMoved(40_000);
        onMoved(50_000);
        isDone = true;
        return { isBeyond: false };
      },
      runAtOnce,
    );
    await expect(moving).rejects.toThrow();
    expect(isDone).toBe(true);
  });

  it('has nobody to move rows on one thread, and rejects once closed', async () => {
    const order = orderOf(100, 10);
    const moves = [move(Float32Array, { rows: 10, stride: 1, count: 100 })];
    for (const options of [{ threads: 1 }, { threads: 2, kernels: 'plain' as const }]) {
      const alone = cpu(options);
      expect(await alone.gather?.({ order, moves })).toBe(false);
      await alone.close();
      await expect(alone.gather?.({ order, moves })).rejects.toThrow(ClosedError);
    }
  });
});
