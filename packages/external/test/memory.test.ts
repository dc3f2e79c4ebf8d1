import type { KeyType } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { divide, divisionFor, partsOf, shareOf } from '../dist/divide/memory.js';
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
    const all = divide(memory, 1e12, layout, 3, 0);
    for (const division of [all, shareOf(all, 2, layout)]) {
      const { chunkBytes, outputBytes, bufferBytes } = division;
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
      const { partBytes, pieceBytes } = divide(memory, 1e12, RECORDS, words, 0);
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
    const division = divide(2 ** 32, bytes, NUMBERS, 2, 0);
    expect(partsOf(bytes, divisionFor(processes, bytes, division))).toBe(parts);
  });
});
