/** Words of text: as many units as fit, the first one highest, by big integers. */

import { describe, expect, it } from 'vitest';
import { unitsText } from '../../dist/table/text.js';
import { random, SEED } from '../draws.js';

describe(`words of text (KEYSWEEP_SEED=${SEED})`, () => {
  it.each([1, 5, 7, 8, 9, 16])('hold units of %i bits, however few of them', (unitBits) => {
    const sizes = Array.from({ length: 40 }, () => random.below(14));
    const units = sizes.map((size) =>
      Array.from({ length: size }, () => random.below(2 ** unitBits)),
    );
    const all = (unitBits > 8 ? Uint16Array : Uint8Array).from(units.flat());
    const ends = new Uint32Array(units.length);
    let end = 0;
    for (const [row, { length }] of units.entries()) {
      end += length;
      ends[row] = end;
    }
    const starts = ends.map((end, row) => end - (sizes[row] as number));
    const text = unitsText(all, starts, ends, unitBits);
    const rows = Uint32Array.from(units.keys());
    const depths = Uint32Array.from(sizes, (size) => random.below(size + 1));
    for (let count = 1; count * unitBits <= 64; count++) {
      const words = new Uint32Array(2 * rows.length);
      text.fill(words, { rows, from: 0, to: rows.length, depths, units: count });
      const expected = units.map((row, i) => {
        const first = depths[i] as number;
        let word = 0n;
        for (let at = first; at < first + count; at++) {
          word = (word << BigInt(unitBits)) | BigInt(row[at] ?? 0);
        }
        return word;
      });
      expect([...new BigUint64Array(words.buffer)]).toEqual(expected);
    }
  });
});
