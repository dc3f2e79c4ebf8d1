/** What a table is said to take, and which bytes are taken for text: decisions without a file. */

import { describe, expect, it } from 'vitest';
import { memoryOfTable } from '../dist/job/memory.js';
import { assertNoText } from '../dist/job/text.js';

describe('the memory of a table', () => {
  const work = { rows: 1000, keys: 1, goal: 'rows' } as const;

  it('is a number for a table without rows', () => {
    for (const goal of ['rows', 'values', 'order', 'check'] as const) {
      expect(memoryOfTable(0, 0, { ...work, goal, rows: 0 })).toBe(0);
    }
  });

  it('grows with rows, keys, columns and threads, and is no less than what is read', () => {
    const base = memoryOfTable(1e9, 0, work);
    for (const more of [{ rows: 1e8 }, { keys: 1e6 }, { threads: 1 }]) {
      expect(memoryOfTable(1e9, 0, { ...work, ...more }), JSON.stringify(more)).toBeGreaterThan(
        base,
      );
    }
    const two = memoryOfTable(1e9, 0, { ...work, threads: 2 });
    expect(two).toBeGreaterThan(memoryOfTable(1e9, 0, { ...work, threads: 1 }));
    expect(memoryOfTable(1e9, 1e10, work)).toBe(1.1e10);
    // Where only a check is wanted, no order is made.
    expect(memoryOfTable(0, 0, { ...work, goal: 'check' })).toBeLessThan(
      memoryOfTable(0, 0, { ...work, goal: 'values' }),
    );
  });
});

describe('text where numbers are wanted', () => {
  const input = { format: 'raw', isSure: false, keyType: 'u32' };
  const check = (text: string | Uint8Array, change = {}) =>
    assertNoText(typeof text === 'string' ? Buffer.from(text) : text, "'in'", {
      ...input,
      ...change,
    } as never);

  it.each(['a\n', '1\r\n2\r\n', '\tä\n', '\u20ac\n'])('is %j', (text) => {
    expect(() => check(text)).toThrow(/^'in' is text/);
    for (const change of [
      { format: 'csv' },
      { isSure: true },
      { keyType: 'u8' },
      { keyType: 'i8' },
    ]) {
      expect(check(text, change)).toBeUndefined();
    }
  });

  it('may end in the midst of a character', () => {
    expect(() => check(Buffer.from('ab\n\u20ac').subarray(0, -1))).toThrow(/is text/);
  });

  it.each(['', 'no end of a line', 'a\0\n', 'a\u0007\n', 'a\u001f\n', 'a\u007f\n'])(
    'is not %j',
    (text) => {
      expect(check(text)).toBeUndefined();
    },
  );

  it('is not bytes that are no UTF-8', () => {
    expect(check(Uint8Array.of(0x41, 0x0a, 0xff, 0x41))).toBeUndefined();
  });
});
