/** How the host names numbers to a dispatch: each byte is a place in a table of 256 numbers. */

import { expect, it } from 'vitest';
import { COUNT_LIMIT, directCount, offsetOf } from '../src/sorter/recording/uniforms.js';

it.each([0, 255, 256, 2 ** 16 - 1, 2 ** 24 - 1, 2 ** 24, 2 ** 24 + 0x30201, COUNT_LIMIT - 1])(
  'a count is four bytes, the lowest first: %i',
  (count) => {
    const bytes = [...new Uint8Array(Uint32Array.of(count).buffer)];
    expect(directCount(count, 7)).toEqual([...bytes, 7].map(offsetOf));
  },
);
