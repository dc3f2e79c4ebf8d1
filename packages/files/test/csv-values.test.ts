/** Values of a text: numbers, and columns of the narrowest kind, by functions alone. */

import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { memoryOfText, readText, type TypedRows } from '../src/csv/column.js';
import { numberAt, writeInteger } from '../src/csv/numbers.js';
import { bytesOf, CSV, linesOf, newShare, TSV, textOf } from './csv-lines.js';

const random = testRandom();

/** As `expect(…).toBe`, which takes fifty times as long. */
function check(text: string, found: unknown, expected: unknown): void {
  if (!Object.is(found, expected)) expect([text, found]).toEqual([text, expected]);
}

/** What is read of a field between bytes that are none of it. */
function integer(text: string): bigint | undefined {
  const words = new Uint32Array(6).fill(7);
  const bytes = bytesOf(`9${text}9`);
  const isOne = writeInteger(bytes, 1, 1 + text.length, words, 1);
  check(text, [0, 1, 4, 5].filter((i) => words[i] !== 7).length, 0);
  return isOne ? (new BigInt64Array(words.buffer)[1] as bigint) : undefined;
}

describe(`numbers, seed ${random.seed}`, () => {
  const EDGES = [
    0n,
    1n,
    9n,
    10n,
    2n ** 31n,
    2n ** 32n,
    2n ** 53n,
    2n ** 63n,
    2n ** 64n,
    10n ** 18n,
  ];
  const AROUND = [
    ...EDGES,
    10n ** 9n,
    10n ** 15n,
    10n ** 16n,
    999_999_999_999_999n,
    2n ** 49n,
  ].flatMap((edge) => [edge - 1n, edge, edge + 1n]);

  it('are integers of 64 bits, or not', () => {
    for (const edge of AROUND) {
      for (const value of [edge, -edge]) {
        const fits = value >= -(2n ** 63n) && value < 2n ** 63n;
        for (const text of [`${value}`, `${value}`.replace(/(\d)/, '0000$1')]) {
          check(text, integer(text), fits ? value : undefined);
        }
        if (value >= 0n) expect(integer(`+${value}`)).toBe(fits ? value : undefined);
      }
    }
    for (let i = 0; i < 2000; i++) {
      const digits = 1 + random.below(20);
      const sign = random.below(2) ? '-' : '';
      const text = `${sign}${Array.from({ length: digits }, () => random.below(10)).join('')}`;
      const value = BigInt(text);
      const fits = value >= -(2n ** 63n) && value < 2n ** 63n;
      check(text, integer(text), fits ? value : undefined);
    }
  });

  it.each(['', '-', '+', 'a', '1a', 'a1', '1/', '1:', '1.0', '--1', '+-1', '1-', '1 ', '0x1'])(
    'no integer is %o',
    (text) => {
      expect(integer(text)).toBeUndefined();
      expect(integer(text === '' ? '' : `1234567890123456${text}`)).toBeUndefined();
    },
  );

  const number = (text: string): number | undefined =>
    numberAt(bytesOf(`1e5${text}5e1`), 3, 3 + text.length);

  it('are the nearest doubles', () => {
    const digits = (n: number): string =>
      Array.from({ length: n }, () => random.below(10)).join('');
    for (let i = 0; i < 2000; i++) {
      const point = random.below(4) === 0 ? '' : '.';
      const exponent =
        random.below(3) === 0 ? `e${random.below(2) ? '-' : ''}${random.below(40)}` : '';
      const sign = ['', '-', '+'][random.below(3)];
      const [before, after] = [digits(random.below(24)), digits(random.below(24))];
      const text = `${sign}${before}${point}${after}${exponent}`;
      if (!/\d/.test(text.replace(/e.*/, ''))) continue;
      check(text, number(text), Number(text));
    }
  });

  it('are the nearest doubles of texts half way between two, and next to that', () => {
    for (let i = 0; i < 1000; i++) {
      // Between two doubles of 53 bits there is a number of 54 bits, and its fifths.
      const odd = 2n ** 53n + 2n * BigInt(random.below(2 ** 31)) * 2n ** 21n + 1n;
      const places = random.below(8);
      const scaled = odd * 10n ** BigInt(places);
      for (const near of [scaled - 1n, scaled, scaled + 1n]) {
        const whole = `${near}`;
        const at = whole.length - places;
        const text = `${whole.slice(0, at)}.${whole.slice(at)}`;
        check(text, number(text), Number(text));
      }
    }
  });

  it('may be words, in any case', () => {
    const yes = { nan: Number.NaN, '-NaN': Number.NaN, Inf: Number.POSITIVE_INFINITY };
    const more = { '-inf': Number.NEGATIVE_INFINITY, '+INFINITY': Number.POSITIVE_INFINITY };
    for (const [text, value] of Object.entries({ ...yes, ...more, '-infinity': -Infinity })) {
      expect(number(text)).toBe(value);
    }
    for (const text of [
      '',
      '-',
      '.',
      '-.',
      'e5',
      'in',
      'infi',
      'nano',
      '-infinityy',
      'x',
      '+nan ',
    ]) {
      expect([text, number(text)]).toEqual([text, undefined]);
    }
  });

  it.each([
    ...['1e', '1e+', '1e-', '1e5x', '1.2.3', '1..2', '1x', '1 ', '0x10', '1e5.', '1E+5-', '1/2'],
    ...['1:', '1e/', '1e:', '1e1:', '12345678901234567x', '1d5'],
  ])('none is %o', (text) => {
    expect(number(text)).toBeUndefined();
  });

  it.each(['1e5', '1E5', '1e+5', '1E-5', '.5', '5.', '-0', '0e0', '1e400', `${'9'.repeat(2000)}`])(
    'one is %o',
    (text) => {
      expect(number(text)).toBe(Number(text));
    },
  );
});

/** The bytes of values that are no places in a dictionary. */
const valuesIn = ({ values }: TypedRows): Uint8Array<ArrayBuffer> =>
  values.kind === 'dictionary' ? expect.unreachable() : values.bytes;

describe('a column of text', () => {
  const read = (values: string[], as?: 'float' | 'text', dialect = CSV) => {
    const lines = linesOf(`${values.join('\n')}\n`, dialect);
    const told: number[] = [];
    const wanted = { place: 0, from: 0, to: lines.rows, as };
    const column = readText(lines, wanted, newShare(), (completed) => told.push(completed));
    return { column, told, lines };
  };

  const validOf = (valid: Uint8Array | undefined, rows: number): boolean[] =>
    Array.from({ length: rows }, (_, i) =>
      valid === undefined ? true : (((valid[i >> 3] as number) >> (i & 7)) & 1) === 1,
    );

  it('is integers, numbers or text, whichever is the narrowest', () => {
    const kindOf = (values: string[], as?: 'float' | 'text') => read(values, as).column.type;
    const integer = { kind: 'integer', bits: 64, isSigned: true };
    const float = { kind: 'float', bits: 64 };
    expect(kindOf(['1', '-2', ' 3', '4\t', '""'])).toEqual(integer);
    expect(kindOf(['""', '""'])).toEqual(integer);
    expect(kindOf(['1', '2.5'])).toEqual(float);
    expect(kindOf(['1', '9223372036854775808'])).toEqual(float);
    expect(kindOf(['1', ' nan\t'])).toEqual(float);
    expect(kindOf(['1', 'a'])).toEqual({ kind: 'text' });
    expect(kindOf([' '])).toEqual({ kind: 'text' });
    expect(kindOf(['1 2'])).toEqual({ kind: 'text' });
    expect(kindOf(['1'], 'float')).toEqual(float);
    expect(kindOf(['1'], 'text')).toEqual({ kind: 'text' });
  });

  it('has the values, and the rows that have none', () => {
    const values = ['5', '""', '-7', ' 8\t', '""', '1', '2', '3', '4', '""'];
    const { column } = read(values);
    const numbers = new BigInt64Array(valuesIn(column).buffer);
    expect([0, 2, 3, 8].map((row) => numbers[row])).toEqual([5n, -7n, 8n, 4n]);
    expect(validOf(column.valid, 10)).toEqual(values.map((value) => value !== '""'));
    const floats = read(['""', '1.5', '-2e3', '+inf']).column;
    expect(new Float64Array(valuesIn(floats).buffer).subarray(1)).toEqual(
      Float64Array.of(1.5, -2000, Number.POSITIVE_INFINITY),
    );
    expect(validOf(floats.valid, 4)).toEqual([false, true, true, true]);
    expect(read(['1', '2']).column.valid).toBeUndefined();
  });

  it('has text without its quotes, and nulls that are empty', () => {
    const texts = ['a', '""', '"b""c"', '""', '"d,\n"', 'ee'];
    const { column } = read(texts);
    const { offsets, bytes } = column.values as { offsets: Uint32Array; bytes: Uint8Array };
    expect([...offsets]).toEqual([0, 1, 1, 4, 4, 7, 9]);
    expect(textOf(bytes)).toBe('ab"cd,\nee');
    expect(validOf(column.valid, 6)).toEqual([true, false, true, false, true, true]);
    const quotes = read(['"a"', '""b'], 'text', TSV).column;
    expect(textOf(valuesIn(quotes))).toBe('"a"""b');
  });

  it('tells how many rows are read, and reads a part', () => {
    const many = Array.from({ length: 9000 }, (_, i) => `${i}`);
    const { column, told, lines } = read(many);
    expect(told).toEqual([4096, 8192, 9000]);
    const all = new BigInt64Array(valuesIn(column).buffer);
    expect(all.every((value, i) => value === BigInt(i))).toBe(true);
    const part = readText(lines, { place: 0, from: 4000, to: 8200 }, newShare());
    expect(part.rows).toBe(4200);
    const some = new BigInt64Array(valuesIn(part).buffer, 0, 4200);
    expect(some.every((value, i) => value === BigInt(4000 + i))).toBe(true);
  });

  it('takes the memory that it says', () => {
    for (const values of [['1', '2'], ['a', 'bc'], Array(100).fill('1.5'), Array(50).fill('xyz')]) {
      const { lines } = read(values);
      let [held, most] = [0, 0];
      const account = {
        take: (bytes: number) => {
          held += bytes;
          most = Math.max(most, held);
        },
        give: (bytes: number) => {
          held -= bytes;
        },
      };
      const column = readText(lines, { place: 0, from: 0, to: lines.rows }, account as never);
      const { values: stored } = column;
      const offsets = stored.kind === 'variable' ? stored.offsets.byteLength : 0;
      expect(held).toBe(valuesIn(column).buffer.byteLength + offsets);
      expect(memoryOfText(lines, 0, lines.rows)).toBeGreaterThanOrEqual(most);
      const size = lines.sizes[0] as number;
      const n = lines.rows;
      expect(memoryOfText(lines, 0, n)).toBe(
        Math.max(8 * n, size + 4 * (n + 1)) + Math.ceil(n / 8),
      );
    }
  });
});
