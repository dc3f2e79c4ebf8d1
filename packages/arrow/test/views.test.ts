/** Columns of views: texts within a view and behind it, and what nulls have for one. */

import { argsortTable, take } from '@keysweep/arrow';
import { makeData, Table, Utf8View, Vector } from 'apache-arrow';
import { expect, it } from 'vitest';

/** Bytes of a text that a view holds itself. */
const INLINE = 12;

/** A chunk of texts; nulls have views of no meaning. */
function chunkOf(texts: readonly (string | null)[]) {
  const { length } = texts;
  const long = texts.filter((text) => text !== null && text.length > INLINE).join('');
  const views = Buffer.alloc(16 * length, 0xff);
  const nullBitmap = new Uint8Array(Math.ceil(length / 8));
  let place = 0;
  for (const [row, text] of texts.entries()) {
    if (text === null) continue;
    nullBitmap[row >> 3]! |= 1 << (row & 7);
    const view = views.subarray(16 * row, 16 * (row + 1)).fill(0);
    view.writeInt32LE(text.length, 0);
    view.write(text.slice(0, text.length > INLINE ? 4 : INLINE), 4);
    if (text.length <= INLINE) continue;
    view.writeInt32LE(place, 12);
    place += text.length;
  }
  return makeData({
    type: new Utf8View(),
    length,
    nullCount: texts.filter((text) => text === null).length,
    nullBitmap,
    views: new Uint8Array(views),
    variadicBuffers: [new Uint8Array(Buffer.from(long))],
  });
}

/** Texts of every length about the longest that a view holds, which begin alike. */
const texts = [0, 1, 3, 4, 5, 11, 12, 13, 14, 40].flatMap((length) => [
  'same beginning, the same to its end, and so on'.slice(0, length),
  length === 0 ? null : `${'same beginning, the same to its end, and so on'.slice(0, length - 1)}z`,
]);
const mixed = texts.map((_, i) => texts[(7 * i) % texts.length] as string | null);

const inOrder = (rows: readonly (string | null)[]): number[] =>
  [...rows.keys()].sort((a, b) => {
    const [left, right] = [rows[a], rows[b]];
    if (left == null || right == null) return Number(left == null) - Number(right == null);
    return left < right ? -1 : Number(left > right);
  });

it.each([
  ['one chunk', [mixed]],
  ['several', [mixed.slice(0, 7), mixed.slice(7, 8), mixed.slice(8)]],
])('rows of %s have the order of their texts, nulls last', async (_, chunks) => {
  const table = new Table({ key: new Vector(chunks.map(chunkOf)) });
  const order = await argsortTable(table, [{ column: 'key' }]);
  expect([...order]).toEqual(inOrder(mixed));
  const taken = take(table, order).getChild('key');
  expect(Array.from(taken ?? [])).toEqual(inOrder(mixed).map((row) => mixed[row]));
});
