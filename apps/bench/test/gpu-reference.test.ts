import { describe, expect, it } from 'vitest';
import { parseReference, referenceFor } from '../src/gpu/reference.js';

const LINE =
  'cub 2^26 keys32 1.420 ms 47.25 Gk/s | pairs32 2.188 ms 30.68 Gp/s | keys64 4.200 ms 15.98 Gk/s | copy 0.130 ms 4135 GB/s';

describe('parseReference', () => {
  it('reads the times of a line, and no copies', () => {
    const length = 2 ** 26;
    expect(parseReference(LINE)).toEqual([
      { name: 'cub', operation: 'sort', keyType: 'u32', length, milliseconds: 1.42 },
      { name: 'cub', operation: 'sortPairs', keyType: 'u32', length, milliseconds: 2.188 },
      { name: 'cub', operation: 'sort', keyType: 'u64', length, milliseconds: 4.2 },
    ]);
  });

  it('leaves out what is around them', () => {
    const text = `NVIDIA H200\r\n${LINE}\r\n\ncub 2^16 keys32 0.030 ms 2.18 Gk/s\ndone\n`;
    expect(parseReference(text).map(({ length }) => Math.log2(length))).toEqual([26, 26, 26, 16]);
  });

  it.each([
    ['', 'no line such as'],
    ['CUDA out of memory line 20', 'no line such as'],
    ['cub 2^26 keys32', "no milliseconds in 'cub 2^26 keys32'"],
    ['cub 2^26 keys32 0.000 ms inf Gk/s', 'no milliseconds'],
    ['cub 2^26 keys32 420 us 47 Gk/s', 'no milliseconds'],
  ])('refuses %j', (text, message) => {
    expect(() => parseReference(text)).toThrow(message);
  });
});

describe('referenceFor', () => {
  const wanted = { operation: 'sort', keyType: 'u32', length: 2 ** 26, distribution: 'random' };
  const times = parseReference(`${LINE}\n${LINE.replace('1.420', '1.390')}\n${LINE}`);

  it('is the fastest of several runs', () => {
    expect(referenceFor(times, wanted)?.milliseconds).toBe(1.39);
    expect(referenceFor(times, { ...wanted, keyType: 'u64' })?.milliseconds).toBe(4.2);
  });

  it.each([
    { length: 2 ** 25 },
    { keyType: 'f32' },
    { distribution: 'sorted' },
    { operation: 'argsort' },
  ])('is nothing for %j', (change) => {
    expect(referenceFor(times, { ...wanted, ...change })).toBeUndefined();
  });
});
