import type { KeyType } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { divide, divisionFor, partsOf, shareOf } from '../dist/divide/memory.js';

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
