/** Bytes as text and back, on bytes of every value and on few values, and on the kernels' bytes. */

import { expect, it } from 'vitest';
import { bytesOf, wasmBytes } from '../cpu/wasm-bytes.js';
import { textOf } from '../wasm-text.mjs';

const CASES: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ['no bytes', new Uint8Array(0)],
  ['one value', new Uint8Array(300).fill(255)],
  ['every value, each as often', Uint8Array.from({ length: 1024 }, (_, i) => i)],
  ['every value, small ones more often', Uint8Array.from({ length: 5000 }, (_, i) => (i * i) >> 9)],
  // A kernel reads it.
  ['as many bytes as kernels have', Uint8Array.from({ length: 60_000 }, (_, i) => (i * i) >> 7)],
];

it.each(CASES)('reads %s back', (_, bytes) => {
  const written = textOf(bytes);
  expect(bytesOf(written)).toEqual(bytes);
  // Nothing that a string literal escapes, whatever its quotes.
  expect(written.text).toMatch(/^[ !#%&()-[\]-_a-~]*$/);
});

/** Bytes of each function's body in a module. */
function bodiesOf(module: Uint8Array): number[] {
  const CODE = 10;
  let at = 8;
  const read = (): number => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = module[at++] as number;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  for (;;) {
    const section = module[at++];
    const bytes = read();
    if (section === CODE) break;
    at += bytes;
  }
  return Array.from({ length: read() }, () => {
    const bytes = read();
    at += bytes;
    return bytes;
  });
}

it('has no kernel so long that an engine takes the whole first sort to optimize it', () => {
  // One function with all instances of the count had 5,831, for which V8 takes 5 ms.
  expect(Math.max(...bodiesOf(wasmBytes()))).toBeLessThan(4096);
});
