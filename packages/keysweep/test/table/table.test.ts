import { argsort, builtin, type Column, createSorter, type SortReport } from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';
import { chance, oneOf, random, SEED } from '../draws.js';
import { fake } from '../fakes.js';
import { type Case, expected, KINDS } from './table-cases.js';

describe(`argsort of described columns (KEYSWEEP_SEED=${SEED})`, () => {
  it.each(Object.entries(KINDS))('orders one column of %s', async (_, make) => {
    for (let i = 0; i < 60; i++) await check([make(oneOf([0, 1, 2, 13, 50, 300, 1500]))]);
  });

  it('orders several columns of any kind, most significant first', async () => {
    for (let i = 0; i < 120; i++) {
      const rows = oneOf([0, 1, 20, 300, 1500]);
      const count = 1 + random.below(5);
      await check(Array.from({ length: count }, () => oneOf(Object.values(KINDS))(rows)));
    }
  });

  it('orders all rows by a second column if equal texts are found back to front', async () => {
    // Those of one letter are found first, and are at both ends.
    const words = ['a', 'agrees in a word and more', 'agrees in a word, then not', 'b'];
    // Of sizes that differ: where all are as large, it does not matter which comes first.
    const sizes = [13, 17, 14, 16];
    const inOrder = words.flatMap((word, i) => Array<string>(sizes[i] as number).fill(word));
    const texts = inOrder.map((_, row) => inOrder[(7 * row) % inOrder.length] as string);
    const numbers = random.fill(new Uint32Array(texts.length));
    const units = texts.map((text) => Array.from(text, (unit) => unit.charCodeAt(0)));
    await check([
      { column: { keys: texts }, values: units },
      { column: { keys: numbers }, values: [...numbers] },
    ]);
  });
});

/** Checks the order of a table: all rows, chosen ones, into an array, in segments. */
async function check(cases: readonly Case[]): Promise<void> {
  const { length } = (cases[0] as Case).values;
  const order = oneOf(['ascending', 'descending'] as const);
  const columns = cases.map(({ column }): Column => column);
  const keys = columns.length === 1 && chance(2) ? (columns[0] as Column) : columns;
  const all = Uint32Array.from({ length }, (_, row) => row);
  const sorted = expected(cases, all, order);
  expect(await argsort(keys, { order })).toEqual(sorted);
  expect(argsortSync(keys, { order })).toEqual(sorted);
  // Fewer than there are rows, as many, or more: some come again.
  const count = length === 0 ? 0 : oneOf([length - 1, length, 2 * length + 1]);
  const indices = Uint32Array.from({ length: count }, () => random.below(length));
  const out = chance(2) ? indices.slice() : new Uint32Array(count + 3);
  const rows = await argsort(keys, { order, indices, out });
  expect(rows).toEqual(expected(cases, indices, order));
  expect(rows.buffer).toBe(out.buffer);
  const starts = [0, random.below(length + 1), random.below(length + 1)].sort((a, b) => a - b);
  const segments = Uint32Array.from(starts);
  expect(await argsort(keys, { order, segments })).toEqual(expected(cases, all, order, starts));
}

/** Keys whose order is the same for every backend, and what it is. */
const KEYS = Float32Array.of(2, Number.NaN, -0, 0, -1);

describe('texts that agree but for one row', () => {
  /** More rows than are sorted by insertion. */
  const ROWS = 40;
  const PREFIX = 'the same beginning, longer than two words of keys, ';

  it.each([0, 1, ROWS >> 1, ROWS - 2, ROWS - 1])('which is row %i', async (odd) => {
    for (const at of [0, 8, 9, PREFIX.length - 1, PREFIX.length]) {
      for (const letter of ['\0', '!', '~']) {
        const texts = Array.from({ length: ROWS }, (_, row) => `${PREFIX}${(row * 7) % 3}`);
        texts[odd] = `${PREFIX.slice(0, at)}${letter}${PREFIX.slice(at)}`;
        const order = Uint32Array.from(texts.keys()).sort((a, b) =>
          (texts[a] as string) < (texts[b] as string) ? -1 : Number(texts[a] !== texts[b]),
        );
        expect(await argsort({ keys: texts })).toEqual(order);
        expect(argsortSync({ keys: texts })).toEqual(order);
      }
    }
  });
});

describe('what a column may say', () => {
  it.each<[string, Column | readonly Column[], readonly number[]]>([
    ['nothing', { keys: KEYS }, [4, 2, 3, 0, 1]],
    ['descending', { keys: KEYS, order: 'descending' }, [1, 0, 3, 2, 4]],
    ['NaNs first', { keys: KEYS, nans: 'first' }, [1, 4, 2, 3, 0]],
    ['NaNs last, descending', { keys: KEYS, nans: 'last', order: 'descending' }, [0, 3, 2, 4, 1]],
    ['zeros tie', [{ keys: KEYS, order: 'descending', zeros: 'equal' }], [1, 0, 2, 3, 4]],
    ['nulls', { keys: KEYS, valid: Uint8Array.of(0b11110) }, [4, 2, 3, 1, 0]],
    ['nulls first', { keys: KEYS, valid: Uint8Array.of(0b11110), nulls: 'first' }, [0, 4, 2, 3, 1]],
    [
      'NaNs and nulls of doubles, whole ones first',
      { keys: Float64Array.of(Number.NaN, 3, 7, Number.NaN, 0.5), valid: Uint8Array.of(0b11011) },
      [4, 1, 0, 3, 2],
    ],
    ['half floats', { keys: Uint16Array.of(0x3c00, 0xbc00, 0x7e00, 0), as: 'f16' }, [1, 3, 0, 2]],
    ['strings', { keys: ['b', '', 'a\0', 'a', 'B'] }, [1, 4, 3, 2, 0]],
    ['binary values', { keys: { width: 2, bytes: Uint8Array.of(1, 2, 1, 1, 0, 9) } }, [2, 1, 0]],
  ])('%s', async (_, columns, order) => {
    expect(await argsort(columns)).toEqual(Uint32Array.from(order));
    expect(argsortSync(columns)).toEqual(Uint32Array.from(order));
  });

  it.each<[unknown, object, new () => Error, RegExp]>([
    [
      { keys: [1, 2] },
      {},
      TypeError,
      /^keys\.keys must hold strings only, but element 0 is the num/,
    ],
    [{ keys: KEYS, size: 3 }, {}, TypeError, /^keys has 'size', but a column has only keys, order/],
    [[{ keys: KEYS }, { keys: ['a'] }], {}, RangeError, /keys\[0\] has 5 rows and keys\[1\] has 1/],
    [
      { keys: KEYS, order: 'up' },
      {},
      TypeError,
      /^keys\.order must be 'ascending' or 'descending'/,
    ],
    [{ keys: KEYS, nulls: true }, {}, TypeError, /^keys\.nulls must be 'first' or 'last'/],
    [{ keys: KEYS, nans: 'end' }, {}, TypeError, /^keys\.nans must be 'first' or 'last'/],
    [{ keys: KEYS, zeros: 1 }, {}, TypeError, /^keys\.zeros must be 'ordered' or 'equal'/],
    [{ keys: KEYS, as: 'f16' }, {}, TypeError, /as: 'f16' must be a Uint16Array of half floats/],
    [{ keys: KEYS, as: 'f32' }, {}, TypeError, /^as of keys\.keys must be 'f16', got the string/],
    [{ keys: KEYS, valid: [1] }, {}, TypeError, /^keys\.valid must be a Uint8Array of bits/],
    [
      { keys: KEYS, valid: Uint8Array.of(1), validOffset: 4 },
      {},
      RangeError,
      /5 rows from bit 4 on/,
    ],
    [{ keys: KEYS, validOffset: -1 }, {}, RangeError, /^keys\.validOffset must be a whole number/],
    [{ keys: { width: 3, bytes: new Uint8Array(4) } }, {}, RangeError, /multiple of width 3/],
    [{ keys: { width: 0, bytes: new Uint8Array(4) } }, {}, RangeError, /from 1 on, got 0/],
    [
      { keys: { bytes: new Uint8Array(4) } },
      {},
      TypeError,
      /^keys\.keys must be a typed array, strin/,
    ],
    [
      { keys: { offsets: [0, 1], bytes: new Uint8Array(4) } },
      {},
      TypeError,
      /offsets must be an Int32/,
    ],
    [
      { keys: { offsets: Int32Array.of(0, 5), bytes: new Uint8Array(4) } },
      {},
      RangeError,
      /offset 1 is 5/,
    ],
    [
      { keys: { offsets: Int32Array.of(2, 1), bytes: new Uint8Array(4) } },
      {},
      RangeError,
      /1 after 2/,
    ],
    [
      { keys: { offsets: new Int32Array(0), bytes: new Uint8Array(4) } },
      {},
      RangeError,
      /it has none/,
    ],
    [{ keys: ['a'] }, { precision: 16 }, TypeError, /^precision is for a column of numbers/],
    [{ keys: KEYS }, { keyBits: { begin: 0, end: 1 } }, TypeError, /^keyBits is for keys that are/],
    [{ keys: KEYS }, { approximate: true }, TypeError, /^approximate is for keys that are passed/],
    [
      { keys: KEYS },
      { out: new Uint32Array(KEYS.buffer) },
      TypeError,
      /^out must not overlap the keys/,
    ],
    [
      { keys: KEYS },
      { indices: Uint32Array.of(5) },
      RangeError,
      /^indices must be below the 5 rows/,
    ],
    [{ keys: KEYS }, { colour: 1 }, TypeError, /^options has no 'colour'/],
  ])('refuses %j with %j', async (columns, options, type, message) => {
    const error = await argsort(columns as Column, options).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(message);
    if ('approximate' in options) return;
    expect(() => argsortSync(columns as Column, options)).toThrow(message);
  });
});

it('refuses columns that lead in a circle, as any that have too much', async () => {
  const column: Record<string, unknown> = { keys: Uint32Array.of(2, 1) };
  column.self = column;
  const list: unknown[] = [Uint32Array.of(2, 1)];
  list.push(list);
  for (const [columns, message] of [
    [column, /^keys has 'self', but a column has only keys/],
    [{ keys: column }, /^keys\.keys must be a typed array, strings/],
    [list, /^keys\[1\] must be a typed array or a column/],
  ] as const) {
    await expect(argsort(columns as never)).rejects.toThrow(message);
    expect(() => argsortSync(columns as never)).toThrow(message);
  }
});

describe('a call with described columns', () => {
  const strings = Array.from({ length: 3000 }, () => `a prefix of all ${random.below(900)}`);

  it('reports once what served it, and ends by its signal', async () => {
    const reports: SortReport[] = [];
    const onReport = (report: SortReport): void => void reports.push(report);
    const sorter = await createSorter();
    await sorter.argsort({ keys: strings }, { onReport, backend: 'cpu' });
    expect(reports).toMatchObject([{ operation: 'argsort', backend: 'cpu', length: 3000 }]);
    await sorter.argsort([{ keys: new Uint8Array(9) }, new Int8Array(9)], { onReport });
    expect(reports[1]).toMatchObject({ length: 9, reason: 'all rows are equal' });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(sorter.argsort({ keys: strings }, { signal })).rejects.toThrow('enough');
    await sorter.close();
    await expect(sorter.argsort({ keys: strings })).rejects.toThrow(/closed/);
  });

  it('asks no backend for a second step once it was aborted in the first', async () => {
    const controller = new AbortController();
    let served = 0;
    const serve = builtin();
    const sorter = await createSorter({
      backends: [
        fake('cpu', {
          async sort(request) {
            served++;
            const outcome = await serve.sort(request);
            controller.abort(new Error('enough'));
            return outcome;
          },
        }),
      ],
    });
    const { signal } = controller;
    // Their first words tie, so that there is a second step.
    await expect(sorter.argsort({ keys: strings }, { signal })).rejects.toThrow('enough');
    expect(served).toBe(1);
    await sorter.close();
  });

  it('waits for calls that write its memory, and so do they', async () => {
    const keys = random.fill(new Uint32Array(200_000));
    const before = Uint32Array.from(keys.keys()).sort(
      (a, b) => (keys[a] as number) - (keys[b] as number),
    );
    const sorter = await createSorter();
    const first = sorter.argsort({ keys });
    const sorting = sorter.sort(keys);
    const second = sorter.argsort([{ keys }]);
    expect(await first).toEqual(before);
    await sorting;
    expect(await second).toEqual(Uint32Array.from(keys.keys()));
    await sorter.close();
  });
});
