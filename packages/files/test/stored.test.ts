/** Columns in memory: rows taken wherever bytes begin, and dictionaries with whatever entries. */

import { isThorough, runSeed } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { FileError, sortKeysOf } from '../src/index.js';
import { bitmapBytes, type Stored, type StoredColumn } from '../src/stored/column.js';
import { joinRows } from '../src/stored/join.js';
import { takeRecords, takeRows, withoutDictionary } from '../src/stored/take.js';

const SEED = runSeed();
const random = testRandom();

/** Text of an entry, or null. */
type Text = string | null;

function bitsOf(texts: readonly Text[]): Uint8Array<ArrayBuffer> | undefined {
  if (!texts.includes(null)) return undefined;
  const bits = new Uint8Array(bitmapBytes(texts.length));
  for (const [row, text] of texts.entries()) if (text !== null) bits[row >> 3]! |= 1 << (row & 7);
  return bits;
}

function textsOf(texts: readonly Text[]): Stored {
  const bytes = new Uint8Array(Buffer.from(texts.map((text) => text ?? '').join('')));
  const offsets = new Uint32Array(texts.length + 1);
  for (const [i, text] of texts.entries()) {
    offsets[i + 1] = offsets[i]! + Buffer.byteLength(text ?? '');
  }
  const values = { kind: 'variable', offsets, bytes } as const;
  return { rows: texts.length, values, valid: bitsOf(texts) };
}

/** Rows that name entries; a row without a place is null. */
function columnOf(entries: Stored, places: readonly (number | null)[]): StoredColumn {
  const bytes = new Uint8Array(Uint32Array.from(places, (place) => place ?? 0xffff_ffff).buffer);
  const valid = bitsOf(places.map((place) => (place === null ? null : '')));
  return {
    name: 'city',
    type: { kind: 'text' },
    isNullable: true,
    rows: places.length,
    values: {
      kind: 'dictionary',
      places: { kind: 'fixed', width: 4, bytes },
      arePlacesSigned: places.some((place) => Number(place) < 0),
      entries,
    },
    valid,
  };
}

/** The text of each row. */
function listOf({ rows, values, valid }: Stored): Text[] {
  if (values.kind !== 'variable') throw new Error(`they are ${values.kind}`);
  const { offsets, bytes } = values;
  return Array.from({ length: rows }, (_, row) =>
    valid !== undefined && ((valid[row >> 3] as number) & (1 << (row & 7))) === 0
      ? null
      : Buffer.from(bytes.subarray(offsets[row], offsets[row + 1])).toString(),
  );
}

/** Sorts the entries of a dictionary, as the runtime's own sort does. */
const sortEntries = (texts: readonly Text[]) => async (): Promise<Uint32Array> =>
  Uint32Array.from(texts.keys()).sort((a, b) => {
    const [left, right] = [texts[a], texts[b]];
    if (left == null || right == null) return Number(left == null) - Number(right == null);
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  });

describe(`records that begin at any byte (seed ${SEED})`, () => {
  it.each([1, 2, 3, 4, 6, 8, 12, 16, 100])('of %i bytes', (width) => {
    for (const at of [0, 1, 2, 3, 4, 7]) {
      for (const count of [0, 1, 7, 64, 65, 200]) {
        const memory = random.fill(new Uint8Array(at + width * 50 + 5));
        const bytes = memory.subarray(at, at + width * 50);
        const order = Uint32Array.from({ length: count }, () => random.below(50));
        // The last one, and what is behind it.
        if (count > 0) order[count - 1] = 49;
        const expected = Buffer.concat(
          Array.from(order, (row) => bytes.subarray(row * width, (row + 1) * width)),
        );
        expect(expected.equals(takeRecords(bytes, width, order)), `${at}, ${count}`).toBe(true);
      }
    }
  });
});

describe('a dictionary', () => {
  const entries = ['b', 'a', null, 'b', '', 'a', 'ab'];
  const places = [0, 3, 1, null, 2, 5, 4, 6, 0, 3, 1, 5];
  const texts = places.map((place) => (place === null ? null : (entries[place] as Text)));

  it('gives rows that are equal one key, whichever entry they name, and nulls none', async () => {
    const column = columnOf(textsOf(entries), places);
    const { keys, valid } = await sortKeysOf(column, sortEntries(entries));
    const ranks = keys as Uint32Array;
    expect(valid).toEqual(bitsOf(texts));
    const rows = [...texts.keys()].filter((row) => texts[row] !== null);
    for (const a of rows) {
      for (const b of rows) {
        const difference = Buffer.compare(Buffer.from(texts[a]!), Buffer.from(texts[b]!));
        expect(Math.sign(ranks[a]! - ranks[b]!), `${a}, ${b}`).toBe(difference);
      }
    }
  });

  it.each([0, 7, 8, 9, 15, 16, 23])('says which one of 24 rows is null: row %i', async (row) => {
    const own = Array.from({ length: 24 }, (_, i) => (i === row ? null : i % 2));
    const { valid } = await sortKeysOf(columnOf(textsOf(['x', 'y']), own), sortEntries(['x', 'y']));
    expect(valid).toEqual(bitsOf(own.map((place) => (place === null ? null : ''))));
  });

  it.each([-1, 7, 8, 2 ** 31])('is refused if a row names entry %i of 7', async (place) => {
    const column = columnOf(textsOf(entries), [0, place]);
    const said = `names entry ${place} of a dictionary of 7`;
    const keys = sortKeysOf(column, sortEntries(entries));
    await expect(keys).rejects.toThrow(said);
    await expect(keys).rejects.toThrow(FileError);
    expect(() => withoutDictionary(column)).toThrow(said);
    expect(() => withoutDictionary(column)).toThrow(FileError);
  });

  it('becomes text with the same nulls, of rows and of entries', () => {
    expect(listOf(withoutDictionary(columnOf(textsOf(entries), places)))).toEqual(texts);
    const none = columnOf(textsOf([]), [null, null]);
    expect(listOf(withoutDictionary(none))).toEqual([null, null]);
  });
});

it('parts of a column are joined with their texts and their nulls, from any row on', () => {
  for (let i = 0; i < (isThorough ? 300 : 30); i++) {
    const parts = Array.from({ length: 1 + random.below(5) }, () =>
      Array.from({ length: random.below(20) }, () =>
        random.below(4) === 0 ? null : 'xyz€'.slice(random.below(5)),
      ),
    );
    const joined = joinRows(parts.map(textsOf));
    expect(listOf(joined), `seed ${SEED}`).toEqual(parts.flat());
    const order = Uint32Array.from({ length: 50 }, () => random.below(Math.max(1, joined.rows)));
    if (joined.rows === 0) continue;
    const taken = listOf({ ...takeRows(joined, order), rows: order.length });
    expect(taken, `seed ${SEED}`).toEqual(Array.from(order, (row) => parts.flat()[row]));
  }
});
