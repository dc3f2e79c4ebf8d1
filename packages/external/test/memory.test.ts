import type { KeyType } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import {
  memoryPlanFor,
  partsOf,
  planMemory,
  shareOf,
  threadsFor,
} from '../dist/divide/memory-plan.js';
import { argsortBytes, columnBytes } from '../dist/open/key-words.js';

const NUMBERS = { width: 8, keys: [], numbers: 'u64' as KeyType };
const RECORDS = {
  width: 100,
  keys: [{ at: 0, bytes: 10, type: undefined, order: 'ascending' as const }],
  numbers: undefined,
};

describe('chunks of a partition', () => {
  it.each([
    ['numbers', 1e6, NUMBERS],
    ['numbers', 1e8, NUMBERS],
    ['numbers', 8e9, NUMBERS],
    ['records', 1e6, RECORDS],
    ['records', 8e9, RECORDS],
  ])('of %s, in %d bytes, fit into the memory and have 32 MiB at most', (_, memory, layout) => {
    const all = planMemory(memory, 1e12, layout, 3, 0);
    for (const memoryPlan of [all, shareOf(all, 2, layout)]) {
      const { chunkBytes, outputBytes, bufferBytes } = memoryPlan;
      expect(chunkBytes % layout.width).toBe(0);
      expect(chunkBytes).toBeLessThanOrEqual(2 ** 25);
      // Two that are read, two that are written, and the part of each record.
      const taken = 2 * chunkBytes + 2 * outputBytes + chunkBytes / layout.width;
      expect(taken).toBeLessThan(bufferBytes);
      if (memory >= 1e8) expect(chunkBytes).toBeGreaterThan(2 ** 22);
    }
  });
});

describe('a part of records', () => {
  it.each([1e6, 1e7, 1e8])('fits into %d bytes with all that its sort takes', (memory) => {
    for (const words of [1, 3]) {
      const { partBytes, pieceBytes } = planMemory(memory, 1e12, RECORDS, words, 0);
      // Three times the records; of each its key words, what argsort takes for them, and three
      // orders of 4 bytes; and two pieces that are put in order.
      const each = 3 * RECORDS.width + columnBytes(words) + argsortBytes(words) + 3 * 4;
      const taken = (partBytes / RECORDS.width) * each + 2 * pieceBytes;
      expect(taken).toBeLessThan(memory);
      expect(taken).toBeGreaterThan(memory / 2);
    }
  });
});

describe('parts of several processes', () => {
  it.each([
    ['16 of each at least', 2, 2 ** 30, 32],
    ['205 MiB on average at most', 1, 2 ** 33, 40],
    ['as many as there may be', 4, 2 ** 40, 256],
  ])('are %s', (_, processes, bytes, parts) => {
    const memoryPlan = planMemory(2 ** 32, bytes, NUMBERS, 2, 0);
    expect(partsOf(bytes, memoryPlanFor(processes, bytes, memoryPlan))).toBe(parts);
  });
});

describe('a part of numbers', () => {
  it('fits with what the backend takes, twice its bytes', () => {
    for (const [numbers, width] of [
      ['u8', 1],
      ['u32', 4],
      ['f64', 8],
    ] as const) {
      for (const memory of [1e6, 1e8]) {
        const layout = { width, keys: [], numbers };
        const { partBytes, bufferBytes, pieceBytes } = planMemory(memory, 1e12, layout, 2, 0);
        expect(bufferBytes + 2 * partBytes).toBeLessThanOrEqual(memory);
        expect(5 * partBytes).toBeGreaterThan(memory / 2);
        expect(pieceBytes).toBe(0);
      }
    }
  });

  it('has a gibibyte at most, and no more than there is', () => {
    for (const layout of [NUMBERS, RECORDS]) {
      const { partBytes } = planMemory(2 ** 40, 2 ** 42, layout, 3, 0);
      expect(partBytes).toBeLessThanOrEqual(2 ** 30);
      expect(partBytes).toBeGreaterThan(2 ** 29);
      expect(planMemory(2 ** 30, 50 * layout.width, layout, 3, 0).partBytes).toBe(
        50 * layout.width,
      );
      // Room for a record, whatever comes.
      expect(planMemory(2 ** 30, 0, layout, 3, 0).partBytes).toBe(layout.width);
    }
  });
});

describe('the memory for a record', () => {
  it('grows with the words of its key, and is most where they are no two numbers', () => {
    expect([1, 2, 3, 4, 5, 6].map(columnBytes)).toEqual([4, 8, 12, 16, 20, 24]);
    expect([1, 2, 3, 4, 5, 6].map(argsortBytes)).toEqual([16, 32, 36, 36, 64, 64]);
  });
});

describe('threads that partition', () => {
  it('are as many as are wanted, have 8 MiB each, and 1024 files together', () => {
    const threads = (bufferBytes: number, parts: number, most: number): number =>
      threadsFor({ bufferBytes } as never, parts, most);
    expect(threads(2 ** 40, 2, 100)).toBe(8);
    expect(threads(2 ** 40, 2, 3)).toBe(3);
    expect([3 * 2 ** 23 - 1, 3 * 2 ** 23, 1].map((n) => threads(n, 2, 8))).toEqual([2, 3, 1]);
    expect([256, 257, 512, 513, 2000].map((n) => threads(2 ** 40, n, 8))).toEqual([4, 3, 2, 1, 1]);
  });
});
