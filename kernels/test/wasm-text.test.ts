/** Bytes as text and back, on bytes of every value and on few values. */

import { expect, it } from 'vitest';
import { bytesOf } from '../cpu/wasm-bytes.js';
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
