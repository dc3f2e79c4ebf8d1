/** Columns of strings in the order of a collator, beside `Array.prototype.sort` with compare. */

import { runSeed } from '@keysweep/conformance/data';
import { SPELT_UNITS } from '@keysweep/core';
import { argsort, type Column } from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../../tools/test/draw-tests.js';
import { testRandom } from '../../../../tools/test/random.js';

drawTests(1 / 2);

const SEED = runSeed();
const random = testRandom();
const chance = (of: number): boolean => random.below(of) === 0;
const oneOf = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;

const LOCALES = [
  ...['en', 'de', 'de-u-co-phonebk', 'sv', 'da', 'fr-CA', 'es', 'es-u-co-trad', 'tr', 'ja', 'zh'],
  ...['ar', 'hr', 'lt', 'cs', 'hu', 'br', 'th', 'ko'],
];

const OPTIONS: readonly Intl.CollatorOptions[] = [
  {},
  { numeric: true },
  { sensitivity: 'base' },
  { sensitivity: 'accent' },
  { sensitivity: 'case' },
  { sensitivity: 'variant' },
  { caseFirst: 'upper' },
  { caseFirst: 'lower', numeric: true },
  { ignorePunctuation: true },
  { usage: 'search' },
];

/** What is a letter, or several, or none, in one locale or another. */
const PIECES: Readonly<Record<string, readonly string[]>> = {
  latin: [...'aaabcdeeefghiiijklmnooopqrstuvwxyzABCHLNS'],
  contractions: [..."ch Ch CH cH ll aa Aa dž lj nj dzs ggy c'h c’h C'H gb ae oe ss".split(' ')],
  accents: [...'äöüåæøéèêñçßœšžčđıİğşÅÉŁþð'],
  marks: ['e\u0301', 'a\u0308', '\u0301', 'A\u030a', 'o\u0323\u0302', 'n\u0303', '\u1e69'],
  numbers: [...'0123456789', '10', '007', '00', '٣', '1234567890123', '²', 'Ⅷ', '½'],
  punctuation: [' ', ' ', '-', "'", '.', '_', ', ', '\u00ad', '\u200d', '\u0000', '(', '/'],
  others: [...'日本語中国愛アーカさしがアァｱ한글งเกแأبةתשλςЙёя', '\u30fc', '\u1100\u1161'],
  pairs: ['😀', '👩‍👩‍👧', '🇩🇪', '𝒜', '\ud83d', '\ude00', '\ud800', '\uffff'],
};

/** Strings of some kinds of pieces, a few of them empty or the same again. */
function strings(count: number, kinds: readonly string[]): string[] {
  const pieces = kinds.map((kind) => PIECES[kind] as readonly string[]);
  const stem = chance(3) ? 'Customer ' : '';
  const longest = oneOf([3, 6, 12]);
  const list: string[] = [];
  for (let i = 0; i < count; i++) {
    if (i > 0 && chance(8)) {
      list.push(list[random.below(i)] as string);
      continue;
    }
    const own = Array.from({ length: random.below(longest) }, () => {
      // Most are of the first kind.
      const kind = chance(12) ? oneOf(pieces) : (pieces[0] as readonly string[]);
      return oneOf(kind);
    });
    list.push(chance(40) ? '' : stem + own.join(''));
  }
  return list;
}

/**
 * Without what ICU's own compare contradicts itself on, so that every order is wrong. With
 * `numeric`, these are zeros before numbers and digits of other scripts, in most locales: in
 * Turkish "0æu" is after "00½", and strings between them say the opposite. Where punctuation is
 * ignored, as in Thai, they are marks after characters that never count: "a " ties with "a " and an
 * acute, this with "a ", a soft hyphen and an acute, but the first is before the last.
 */
function withoutContradictions(list: readonly string[], collator: Intl.Collator): string[] {
  const { numeric, ignorePunctuation } = collator.resolvedOptions();
  return list.map((string) => {
    const other = numeric ? string.replace(/(?<![1-9]0*)0+|[٣²Ⅷ½]/g, '') : string;
    return ignorePunctuation ? other.replace(/(?<=[\p{Cf}\0])\p{M}+/gu, '') : other;
  });
}

function expected(list: readonly string[], compare: (a: string, b: string) => number, sign = 1) {
  const rows = Array.from(list.keys());
  rows.sort((a, b) => sign * compare(list[a] as string, list[b] as string));
  return Uint32Array.from(rows);
}

/** The order of a column, which both forms of argsort have to agree on. */
async function orderOf(column: Column): Promise<Uint32Array> {
  const order = await argsort(column);
  expect(argsortSync(column)).toEqual(order);
  return order;
}

describe(`a column with a collator (KEYSWEEP_SEED=${SEED})`, () => {
  describe.each(LOCALES)('of %s', (locale) => {
    it('has the permutation of its compare, to the last tie', async ({ skip }) => {
      const isMissing = Intl.Collator.supportedLocalesOf(locale).length === 0;
      skip(isMissing, `this runtime does not know the order of ${locale}`);
      for (const count of [0, 1, 40, 700, 9000, 9000]) {
        const options = oneOf(OPTIONS);
        const collator = new Intl.Collator(locale, options);
        const first = oneOf(['latin', 'latin', 'contractions', 'numbers', 'others']);
        const all = strings(count, [first, ...Object.keys(PIECES)]);
        const list = withoutContradictions(all, collator);
        const order = await orderOf({ keys: list, collator });
        expect(order, JSON.stringify(options)).toEqual(expected(list, collator.compare));
      }
    });
  });

  it.each(OPTIONS)('has the permutation of compare with %j', async (options) => {
    const collator = new Intl.Collator('en', options);
    for (const kinds of [['latin', 'punctuation', 'numbers'], ['latin', 'accents'], ['numbers']]) {
      const all = strings(9000, kinds);
      const list = withoutContradictions(all, collator);
      expect(await orderOf({ keys: list, collator })).toEqual(expected(list, collator.compare));
    }
  });

  it('orders numbers of any number of digits', async () => {
    const collator = new Intl.Collator('en', { numeric: true });
    const digits = (count: number): string =>
      Array.from({ length: count }, (_, i) => Math.min(9, random.below(10) + Number(i === 0))).join(
        '',
      );
    for (const most of [9, 10, 14]) {
      const list = Array.from({ length: 9000 }, () => `no ${digits(1 + random.below(most))}`);
      expect(await orderOf({ keys: list, collator })).toEqual(expected(list, collator.compare));
    }
  });

  it('has ties if compare returns 0, in either direction', async () => {
    const collator = new Intl.Collator('en', { sensitivity: 'base' });
    const { compare } = collator;
    const list = strings(9000, ['latin', 'accents']);
    const minor = random.fill(new Uint8Array(list.length));
    const rows = Array.from(list.keys()).sort(
      (a, b) =>
        compare(list[b] as string, list[a] as string) ||
        (minor[a] as number) - (minor[b] as number),
    );
    const keys = { keys: list, collator, order: 'descending' } as const;
    expect(await argsort([keys, minor])).toEqual(Uint32Array.from(rows));
    expect(await argsort(keys)).toEqual(expected(list, compare, -1));
  });

  it('keeps ties in their order that are written with different characters', async () => {
    const collator = new Intl.Collator('en', { sensitivity: 'base' });
    // All are distinct: few distinct ones would get numbers, by which their rows are ordered.
    const list = Array.from({ length: 6000 }, (_, i) => {
      const other = oneOf([`pe\u0301rson ${i}`, `person ${i}\u0301`]);
      return chance(2) ? [`person ${i}`, other] : [other, `person ${i}`];
    }).flat();
    const order = expected(list, collator.compare);
    expect(await orderOf({ keys: list, collator })).toEqual(order);
    const reverse = expected(list, collator.compare, -1);
    expect(await orderOf({ keys: list, collator, order: 'descending' })).toEqual(reverse);
  });

  it('keeps ties in their order among equal strings that begin alike', async () => {
    for (const sensitivity of ['base', 'variant'] as const) {
      const collator = new Intl.Collator('en', { sensitivity });
      // Most are distinct, or their rows would get numbers. Groups are small and large.
      const list = Array.from({ length: 30_000 }, (_, i) => {
        const begin = `a person of a long name ${i % 3 === 0 ? oneOf('éeÉ'.split('')) : 'e'}`;
        return i % 8 === 0 ? `${begin} ${i % 160}` : `${begin} ${i}`;
      });
      expect(await orderOf({ keys: list, collator })).toEqual(expected(list, collator.compare));
      const reverse = expected(list, collator.compare, -1);
      expect(await orderOf({ keys: list, collator, order: 'descending' })).toEqual(reverse);
    }
  });

  it('knows nulls, and orders the rows that are asked for', async () => {
    const collator = new Intl.Collator('en');
    const list = strings(12_000, ['latin', 'accents', 'marks']);
    const valid = random.fill(new Uint8Array(list.length / 8));
    const has = (row: number): boolean => ((valid[row >> 3] as number) >> (row & 7)) % 2 === 1;
    const indices = Uint32Array.from({ length: 9000 }, () => random.below(list.length));
    const rows = Array.from(indices).sort((a, b) =>
      has(a) && has(b)
        ? collator.compare(list[a] as string, list[b] as string)
        : Number(has(a)) - Number(has(b)),
    );
    const column = { keys: list, collator, valid, nulls: 'first' } as const;
    expect(await argsort(column, { indices })).toEqual(Uint32Array.from(rows));
    expect(argsortSync(column, { indices })).toEqual(Uint32Array.from(rows));
  });

  it('has every row once if compare contradicts itself', async () => {
    const collator = new Intl.Collator('vi', { sensitivity: 'accent', ignorePunctuation: true });
    // In ICU, the first two tie with the third, but the first comes before the second.
    const pieces = ['\u0387', '\u0387\u0e47', '', '-\u0902', 'a', 'a-', 'a-\u0902'];
    const list = Array.from({ length: 9000 }, (_, i) => `${oneOf(pieces)}${chance(2) ? i : ''}`);
    const order = await orderOf({ keys: list, collator });
    expect(order.slice().sort()).toEqual(Uint32Array.from(list.keys()));
  });

  it('is ordered by a compare that a program has put in place of its own', async () => {
    const collator = new Intl.Collator('en');
    const compare = (a: string, b: string): number =>
      a.length - b.length || (a < b ? 1 : Number(a !== b) * -1);
    Object.defineProperty(collator, 'compare', { value: compare });
    const list = strings(9000, ['latin']);
    expect(await orderOf({ keys: list, collator })).toEqual(expected(list, compare));
  });

  it.each([9000, 60_000])('finds a letter of four characters in %i strings', async (count) => {
    const getter = Object.getOwnPropertyDescriptor(Intl.Collator.prototype, 'compare');
    const own = getter?.get as (this: Intl.Collator) => Intl.Collator['compare'];
    const orders = new WeakMap<Intl.Collator, Intl.Collator['compare']>();
    Object.defineProperty(Intl.Collator.prototype, 'compare', {
      configurable: true,
      get(this: Intl.Collator) {
        const compare = own.call(this);
        const spell = (text: string): string => text.replaceAll('hijk', 'zz');
        const order = orders.get(this) ?? ((a, b) => compare(spell(a), spell(b)));
        orders.set(this, order);
        return order;
      },
    });
    try {
      const collator = new Intl.Collator('en');
      const list = Array.from({ length: count }, (_, i) => {
        const some = Array.from({ length: 9 }, () => oneOf([...'abchijkxyz'])).join('');
        return i % 500 === 0 ? `${some.slice(0, 2)}hijk${some}` : some;
      });
      expect(await orderOf({ keys: list, collator })).toEqual(expected(list, collator.compare));
      const day = Uint8Array.from(list, () => random.below(3));
      const rows = Array.from(list.keys()).sort(
        (a, b) =>
          (day[a] as number) - (day[b] as number) ||
          collator.compare(list[a] as string, list[b] as string),
      );
      expect(await argsort([day, { keys: list, collator }])).toEqual(Uint32Array.from(rows));
    } finally {
      Object.defineProperty(Intl.Collator.prototype, 'compare', getter as PropertyDescriptor);
    }
  });

  it('orders strings that begin alike, few distinct ones, and all distinct ones', async () => {
    const collator = new Intl.Collator('de');
    const stem = 'https://www.example.com/customers/of-long-standing/';
    const few = Array.from({ length: 20_000 }, () => `${stem}${random.below(50)}`);
    const all = Array.from({ length: 20_000 }, (_, i) => `${stem}${oneOf(['a', 'A', 'ä'])}${i}`);
    for (const list of [few, all]) {
      expect(await orderOf({ keys: list, collator })).toEqual(expected(list, collator.compare));
    }
  });

  it('orders strings of a few long beginnings, whose words leave all of them tied', async () => {
    const collator = new Intl.Collator('en');
    const list = Array.from({ length: 20_000 }, () => {
      const begin = oneOf(['a', 'k', 'z']).repeat(30);
      return `${begin}${random.below(1e9)}`;
    });
    expect(await orderOf({ keys: list, collator })).toEqual(expected(list, collator.compare));
  });

  it('orders strings of which some do not begin like most of them', async () => {
    const collator = new Intl.Collator('en');
    const list = Array.from({ length: 20_000 }, (_, i) => {
      const begin =
        i % 1999 === 5 ? oneOf(['Cust', 'Customer', 'Customes', 'A', 'z', '']) : 'Customer ';
      return `${begin}${random.below(15_000)}${oneOf(['', '', 'a', 'é', ' \n'])}`;
    });
    expect(await orderOf({ keys: list, collator })).toEqual(expected(list, collator.compare));
    expect(await orderOf({ keys: list, collator, order: 'descending' })).toEqual(
      expected(list, collator.compare, -1),
    );
  });

  it.each([
    ['en', 'latin', {}],
    ['de', 'latin', { numeric: true }],
    ['cs', 'contractions', { sensitivity: 'base' }],
  ] as const)('orders as many strings as kernels spell: %s, %s, %j', async (...drawn) => {
    const [locale, kind, options] = drawn;
    const collator = new Intl.Collator(locale, options);
    const all = strings(40_000, [kind, 'latin', 'accents', 'numbers', 'punctuation']);
    const list = withoutContradictions(all, collator);
    // One is too long to be spelt, and many are equal in all that they begin with, or in all.
    list[5] = `${list[6]}${'x'.repeat(SPELT_UNITS)}`;
    for (let i = 1000; i < 9000; i++) {
      list[i] = `Of the same long family ${random.below(900)}${oneOf(['', 'a', 'A', 'ä', ' a'])}`;
    }
    expect(await orderOf({ keys: list, collator })).toEqual(expected(list, collator.compare));
  });

  it('knows numbers among more characters than an alphabet has', async () => {
    const collator = new Intl.Collator('zh', { numeric: true });
    const list = Array.from({ length: 20_000 }, (_, i) => {
      const characters = Array.from({ length: 3 }, () =>
        String.fromCharCode(0x4e00 + random.below(126)),
      );
      return characters.join('') + (i % 97 === 0 ? 1 + random.below(2000) : '');
    });
    expect(await orderOf({ keys: list, collator })).toEqual(expected(list, collator.compare));
  });

  it('ends by its signal, and passes on what compare throws', async () => {
    const collator = new Intl.Collator('en');
    const keys = strings(9000, ['latin']);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(argsort({ keys, collator }, { signal })).rejects.toThrow('enough');
    const compare = (): number => {
      throw new Error('no order');
    };
    Object.defineProperty(collator, 'compare', { value: compare });
    await expect(argsort({ keys, collator })).rejects.toThrow('no order');
    expect(() => argsortSync({ keys, collator })).toThrow('no order');
  });

  it.each([
    [{ keys: new Uint8Array(3), collator: new Intl.Collator() }, /^keys\.collator is for a string/],
    [{ keys: ['a'], collator: 'en' }, /^keys\.collator must be an Intl\.Collator, got/],
    [{ keys: ['a'], collator: { compare: () => 0 } }, /^keys\.collator must be an Intl\.Collator/],
    [{ keys: ['a'], collator: null }, /^keys\.collator must be an Intl\.Collator, got null/],
  ])('refuses %j', async (column, message) => {
    const error = await argsort(column as unknown as Column).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(message);
    expect(() => argsortSync([new Uint8Array(1), column] as unknown as Column[])).toThrow(
      message.source.includes('is for') ? /keys\[1\]\.collator is for/ : /keys\[1\]\.collator must/,
    );
  });
});
