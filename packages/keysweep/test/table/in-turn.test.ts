/** Rows by numbers first, and by strings where these tie, beside `Array.prototype.sort`. */

import { runSeed, sample } from '@keysweep/conformance/data';
import { argsort, argsortRows } from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../../tools/test/draw-tests.js';
import { testRandom } from '../../../../tools/test/random.js';

drawTests(1 / 2);

const SEED = runSeed();
const random = testRandom();
const ROWS = 40_000;

interface Row {
  readonly date: number;
  readonly name: string;
  readonly size: number;
}

/** Rows of which few or many tie in their date; names differ in accents and case, too. */
function rowsWith(dates: number): Row[] {
  const letters = [...'abcdeéEñ\u0301ß', '😀', '\n', '\ud83d', '\ude00'];
  const word = (): string => Array.from({ length: 1 + random.below(5) }, oneLetter).join('');
  const oneLetter = (): string => letters[random.below(letters.length)] as string;
  return Array.from({ length: ROWS }, () => ({
    date: random.below(dates),
    name: word(),
    size: random.below(3),
  }));
}

const collator = new Intl.Collator('en');

describe(`strings after numbers (KEYSWEEP_SEED=${SEED})`, () => {
  // Of so many dates that few rows tie always: then strings are read where they do.
  const dates = [30 * ROWS, ...sample([2, 1000, ROWS, 2 ** 31], 1, SEED)];
  it.each(dates)('among %i dates', async (dates) => {
    const rows = rowsWith(dates);
    const compare = (a: number, b: number): number => {
      const [x, y] = [rows[a] as Row, rows[b] as Row];
      return y.date - x.date || collator.compare(x.name, y.name) || x.size - y.size;
    };
    const by = [
      { key: 'date', order: 'descending' },
      { key: 'name', collator },
      { key: 'size' },
    ] as const;
    const expected = Uint32Array.from(Array.from(rows.keys()).sort(compare));
    expect(await argsortRows(rows, by)).toEqual(expected);

    const columns = [
      { keys: Float64Array.from(rows, ({ date }) => date), order: 'descending' },
      { keys: rows.map(({ name }) => name), collator },
      { keys: Uint8Array.from(rows, ({ size }) => size) },
    ] as const;
    // Rows that are asked for may come twice, and in any order. If they do, many tie.
    const twice = Uint32Array.from({ length: ROWS }, () => random.below(ROWS));
    const once = Uint32Array.from(rows.keys());
    for (let i = ROWS - 1; i > 0; i--) {
      const other = random.below(i + 1);
      [once[i], once[other]] = [once[other] as number, once[i] as number];
    }
    for (const indices of [twice, once.subarray(0, ROWS - 1000)]) {
      const chosen = Uint32Array.from(Array.from(indices).sort(compare));
      expect(await argsort(columns, { indices })).toEqual(chosen);
      expect(argsortSync(columns, { indices })).toEqual(chosen);
    }
  });

  it('among dates that hardly tie, without a collator and with nulls', async () => {
    const rows = rowsWith(2 ** 31);
    for (let i = 0; i < ROWS; i += 3) rows[i] = { ...(rows[i] as Row), date: 7 };
    const isNull = (row: number): boolean => row % 6 === 0;
    const valid = new Uint8Array(ROWS / 8);
    for (let i = 0; i < ROWS; i++)
      if (!isNull(i)) valid[i >> 3] = (valid[i >> 3] ?? 0) | (1 << (i & 7));
    const compare = (a: number, b: number): number => {
      const [x, y] = [rows[a] as Row, rows[b] as Row];
      if (x.date !== y.date) return x.date - y.date;
      if (isNull(a) || isNull(b)) return Number(isNull(a)) - Number(isNull(b));
      return x.name < y.name ? -1 : Number(x.name > y.name);
    };
    const expected = Uint32Array.from(Array.from(rows.keys()).sort(compare));
    const columns = [
      Float64Array.from(rows, ({ date }) => date),
      { keys: rows.map(({ name }) => name), valid },
    ];
    expect(await argsort(columns)).toEqual(expected);
  });

  /**
   * Names whose words tell most of them apart, of letters that are spelt unless asked for others.
   */
  const nameOf = (others: string): string => {
    const letters = [...'abcdeéEñ lmnorstÖ', ...others];
    const length = 6 + random.below(12);
    const name = Array.from({ length }, () => letters[random.below(letters.length)]);
    return name.join('');
  };

  // Of names with ß and marks, some are not spelt. Some are accents of others, and some their
  // equals.
  it.each([
    ['spelt', 'Of the family of the ', ''],
    ['spelt, but for some', '', 'ß\u0301'],
    ['spelt, but for one', '', ''],
  ])('among few days, of names that are %s', async (kind, stem, others) => {
    const names = Array.from({ length: ROWS }, () => stem + nameOf(others));
    for (let i = 0; i < ROWS; i += 5) {
      const name = names[random.below(ROWS)] as string;
      names[i] = random.below(2) === 0 ? name : name.replace('e', 'é');
    }
    // One that no sample finds.
    if (kind.endsWith('one')) names[5] = `${names[6]}ß`;
    const day = Float64Array.from({ length: ROWS }, () => random.below(9) * 864e5);
    const minor = Uint8Array.from({ length: ROWS }, () => random.below(3));
    const valid = random.fill(new Uint8Array(ROWS / 8));
    const indices = Uint32Array.from({ length: ROWS - 99 }, () => random.below(ROWS));
    const isNull = (row: number): boolean => ((valid[row >> 3] as number) >> (row & 7)) % 2 === 0;
    const compare = (a: number, b: number): number =>
      collator.compare(names[a] as string, names[b] as string);
    const byDay = (a: number, b: number): number => (day[b] as number) - (day[a] as number);
    const byMinor = (a: number, b: number): number => (minor[a] as number) - (minor[b] as number);
    const all = Array.from({ length: ROWS }, (_, row) => row);
    const days = { keys: day, order: 'descending' } as const;

    const up = [days, { keys: names, collator }, minor] as const;
    const rising = (a: number, b: number) => byDay(a, b) || compare(a, b) || byMinor(a, b);
    expect(await argsort(up)).toEqual(Uint32Array.from(all.slice().sort(rising)));
    expect(argsortSync(up, { indices })).toEqual(
      Uint32Array.from(Array.from(indices).sort(rising)),
    );
    const down = [days, { keys: names, collator, order: 'descending', valid }] as const;
    const falling = (a: number, b: number): number => {
      const nulls = Number(isNull(a)) - Number(isNull(b));
      return byDay(a, b) || nulls || (isNull(a) ? 0 : compare(b, a));
    };
    expect(await argsort(down)).toEqual(Uint32Array.from(all.slice().sort(falling)));
  });
});
