/** What a caller gives as options, and how values are called in messages. */

import { describe as inWords, readOptions } from '@keysweep/core';
import { describe, expect, it } from 'vitest';

describe('readOptions', () => {
  it('reads each property once, and none of a prototype', () => {
    let reads = 0;
    const given = {
      get threads() {
        return ++reads;
      },
    };
    const options = readOptions<{ threads: number; toString?: unknown }>(given, ['threads']);
    expect([options.threads, options.threads, reads]).toEqual([1, 1, 1]);
    expect(options.toString).toBeUndefined();
    expect(Object.keys(readOptions<object>(undefined, []))).toEqual([]);
    expect(Object.keys(readOptions<object>(Object.create(null), []))).toEqual([]);
  });

  it.each([
    [null, 'options must be an object, got null'],
    ['u32', "options must be an object, got the string 'u32'"],
    [new Map(), 'options must be a plain object, got an object (Map)'],
    [[1], 'options must be a plain object, got an Array of 1'],
    [{ thread: 4 }, "options has no 'thread'; it takes threads, kernels"],
    [{ thread: undefined }, "options has no 'thread'; it takes threads, kernels"],
  ])('refuses %o', (given, message) => {
    const read = (): unknown => readOptions(given, ['threads', 'kernels']);
    expect(read).toThrow(new TypeError(message));
  });

  it('names the argument', () => {
    expect(() => readOptions(1, [], 'request')).toThrow(
      'request must be an object, got the number 1',
    );
    expect(() => readOptions({ a: 1 }, ['b'], 'request')).toThrow("request has no 'a'; it takes b");
  });
});

it.each([
  [undefined, 'undefined'],
  [5, 'the number 5'],
  [5n, 'the bigint 5n'],
  [Math.max, 'a function (max)'],
  [new Float32Array(3), 'Float32Array(3)'],
  [Object.create(null), 'an object (without a prototype)'],
])('describes %o', (value, words) => {
  expect(inWords(value)).toBe(words);
});

it('describes what throws when it is looked at', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(inWords(proxy)).toBe('a value that cannot be read');
});
