/** Rows and fields of a text, found and written, by functions alone. */

import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { type Dialect, dialectOf } from '../src/csv/dialect.js';
import { findFields, namesIn } from '../src/csv/fields.js';
import { gatherLines } from '../src/csv/gather.js';
import { countLineEnds } from '../src/csv/line-ends.js';
import { type Lines, lineAt, memoryOfColumns, scanLines } from '../src/csv/scan.js';
import { writeLines } from '../src/csv/write.js';
import { bytesSource } from '../src/source.js';
import { bytesOf, CSV, linesOf, newShare, TSV, textOf } from './csv-lines.js';

const random = testRandom();

const thrownBy = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing';
};

/** All fields, as `findFields` finds them. */
function fieldsOf(lines: Lines): string[][] {
  return Array.from({ length: lines.rows }, (_, row) =>
    lines.sizes.map((_, place) => {
      const bounds = new Uint32Array(2);
      findFields(lines, place, row, row + 1, bounds);
      return textOf(lines.bytes.subarray(bounds[0], bounds[1]));
    }),
  );
}

/** A field as it is written, and what is found of it. */
function field(dialect: Dialect): [written: string, found: string] {
  const plain = ['', 'a', '12', '\r', 'x\r', '\r\r', 'ä', 'long, or not'.replace(',', '')];
  const quoted = ['', 'a', '""', 'a""b', ',', '\n', '\r\n', 'a\nb', '""""'];
  if (dialect.hasQuotes && random.below(3) === 0) {
    const inner = quoted[random.below(quoted.length)] as string;
    return [`"${inner}"`, inner];
  }
  const text = plain[random.below(plain.length)] as string;
  return [text, text];
}

describe(`rows and fields, seed ${random.seed}`, () => {
  it.each([
    ['csv', CSV],
    ['tsv', TSV],
    ['semicolons', dialectOf('csv', { delimiter: ';' })],
  ] as const)('of %s are where they were written', (_, dialect) => {
    const delimiter = String.fromCharCode(dialect.delimiter);
    for (let round = 0; round < 150; round++) {
      const width = 1 + random.below(5);
      const rows = Array.from({ length: 1 + random.below(5) }, () =>
        Array.from({ length: width }, () => field(dialect)),
      );
      const end = random.below(2) === 0 ? '\n' : '\r\n';
      // A return at the end of a line would be a part of its end.
      for (const row of rows) {
        const last = row[width - 1] as [string, string];
        if (last[0].endsWith('\r')) row[width - 1] = ['z', 'z'];
      }
      const written = rows.map((row) => row.map(([text]) => text).join(delimiter));
      const isEnded = random.below(2) === 0 || written.at(-1) === '';
      const text = written.join(end) + (isEnded ? end : '');
      const lines = linesOf(text, dialect);
      expect(lines.rows).toBe(rows.length);
      expect(lines.areQuoted).toBe(dialect.hasQuotes && text.includes('"'));
      expect(fieldsOf(lines)).toEqual(rows.map((row) => row.map(([, found]) => found)));
      const starts = written.map(
        (_, i) => 2 + written.slice(0, i).join(end).length + (i > 0 ? end.length : 0),
      );
      expect([...lines.starts]).toEqual([...starts, 2 + text.length]);
      const sizes = rows[0]?.map((_, place) =>
        rows.reduce((sum, row, i) => {
          const isLast = place === width - 1;
          const isPlain = !row[place]?.[0].startsWith('"') || !dialect.hasQuotes;
          // A return before the end of a line counts with a field without quotes.
          const isReturn = isLast && isPlain && end === '\r\n' && (isEnded || i < rows.length - 1);
          const quotedReturn =
            isLast && !isPlain && end === '\r\n' && (isEnded || i < rows.length - 1);
          return sum + (row[place]?.[0].length as number) + Number(isReturn || quotedReturn);
        }, 0),
      );
      expect(lines.sizes).toEqual(sizes);
      const names = rows[0]?.map(([, found]) => found.replaceAll('""', '"'));
      expect(namesIn(lines).map((name) => name.replaceAll('\ufffd', 'ä'))).toEqual(names);
      expect(memoryOfColumns(lines)).toBe(
        128 * width + 2 * ((lines.starts[1] as number) - (lines.starts[0] as number)),
      );
    }
  });

  it('of no text are none', () => {
    const lines = linesOf('');
    expect([lines.rows, lines.sizes, lines.areQuoted]).toEqual([0, [], false]);
    expect(memoryOfColumns(lines)).toBe(0);
  });

  it('that do not fit are named with their line', () => {
    const say = (text: string, dialect?: Dialect) => thrownBy(() => linesOf(text, dialect));
    expect(say('a,b\n1,2\n3\n')).toBe("line 3 of 't' has 1 field, but its first line has 2 fields");
    expect(say('a\n1,2')).toBe("line 2 of 't' has 2 fields, but its first line has 1 field");
    expect(say('a,b\n\n1,2\n')).toBe("line 2 of 't' is empty, but its first line has 2 fields");
    expect(say('a,b\r\n\r\n')).toBe("line 2 of 't' is empty, but its first line has 2 fields");
    expect(say('a,b\n\r1')).toBe("line 2 of 't' has 1 field, but its first line has 2 fields");
    expect(say('a\n"b')).toBe("line 2 of 't' has a quote that does not end");
    expect(say('a\n"b\n\n')).toBe("line 2 of 't' has a quote that does not end");
    const after =
      'has something after the quote that ends a field; quotes within quotes are written twice';
    expect(say('a\n"b\n"c')).toBe(`line 3 of 't' ${after}`);
    expect(say('"a"\r')).toBe(`line 1 of 't' ${after}`);
    expect(say('"a" ,b')).toBe(`line 1 of 't' ${after}`);
    expect(say('a\n"b', TSV)).toBe('nothing');
    expect(say('"a"')).toBe('nothing');
    expect(say('"a"\r\n')).toBe('nothing');
  });

  it('have their line, counted from 1', () => {
    const bytes = bytesOf('a\nbc\n\nd');
    expect(Array.from(bytes, (_, at) => lineAt(bytes, at))).toEqual([1, 1, 2, 2, 2, 3, 4]);
    expect(lineAt(bytesOf('abc'), 2)).toBe(1);
  });

  it('of a text that grows unlike its beginning are counted as they are held', () => {
    // 40 bytes a row in the first mebibyte, then one: three times as many rows as expected.
    const text = `${`${'x'.repeat(39)}\n`.repeat(26_300)}${'\n'.repeat(300_000)}`;
    const taken: number[] = [];
    let held = 0;
    const account = {
      take: (bytes: number, rest = 0) => {
        expect(rest).toBeGreaterThanOrEqual(0);
        held += bytes;
        taken.push(bytes);
      },
      give: (bytes: number) => {
        held -= bytes;
      },
    };
    const bytes = bytesOf(text);
    const stretch = { first: 0, end: bytes.length };
    const lines = scanLines("'t'", bytes, stretch, CSV, account as never);
    expect(lines.rows).toBe(326_300);
    expect(held).toBe(lines.starts.buffer.byteLength + memoryOfColumns(lines));
    expect(taken.length).toBeGreaterThan(3);
    // As many rows as the beginning tells, and a twentieth more.
    expect(taken[0]).toBe(4 * (Math.ceil(((26_214 + 1) * bytes.length * 1.05) / 2 ** 20) + 16));
  });
});

describe('line ends', () => {
  it('are counted in pieces', async () => {
    const step = 4 << 20;
    const bytes = new Uint8Array(step + 3);
    for (const at of [0, 5, step - 1, step, step + 2]) bytes[at] = 10;
    const reads: number[][] = [];
    const source = bytesSource('b', bytes);
    const watched = {
      ...source,
      read: (from: number, to: number) => {
        reads.push([from, to]);
        return source.read(from, to);
      },
    };
    expect(await countLineEnds(watched)).toBe(5);
    expect(reads).toEqual([
      [0, step],
      [step, step + 3],
    ]);
    expect(await countLineEnds(bytesSource('b', new Uint8Array(0)))).toBe(0);
  });
});

describe('a dialect', () => {
  it('has a comma or a tab, quotes in CSV, and a header', () => {
    expect(CSV).toEqual({ delimiter: 44, hasQuotes: true, hasHeader: true });
    expect(TSV).toEqual({ delimiter: 9, hasQuotes: false, hasHeader: true });
    const options = { delimiter: '|', header: false };
    expect(dialectOf('tsv', options)).toEqual({
      delimiter: 124,
      hasQuotes: false,
      hasHeader: false,
    });
    expect(dialectOf('csv', { delimiter: '\u0001' }).delimiter).toBe(1);
    expect(dialectOf('csv', { delimiter: '\u007f' }).delimiter).toBe(127);
  });

  it.each(['', 'ab', '\n', '\r', '"', '\0', '\u0080', 'é', 5, null])('refuses %o', (delimiter) => {
    const act = () => dialectOf('csv', { delimiter: delimiter as never });
    expect(act).toThrow(TypeError);
    expect(act).toThrow(/how.delimiter must be one ASCII character, .* got /);
  });

  it('refuses a header that is neither true nor false', () => {
    expect(() => dialectOf('csv', { header: 1 as never })).toThrow(
      'how.header must be true or false, got the number 1',
    );
  });
});

describe('rows that are written', () => {
  const write = async (text: string, first: number, order: number[]): Promise<string> => {
    const bytes = bytesOf(text);
    const stretch = { first: 0, end: bytes.length };
    const lines = scanLines("'t'", bytes, stretch, CSV, newShare());
    const written: Uint8Array[] = [];
    const sink = { write: async (piece: Uint8Array) => void written.push(piece.slice()) };
    const told: number[] = [];
    await writeLines(sink, lines, first, Uint32Array.from(order), (n) => told.push(n));
    expect(told.at(-1) ?? 0).toBe(order.length);
    return textOf(Buffer.concat(written));
  };

  it('keep their bytes, and the header stays in front', async () => {
    expect(await write('h\n1\n2\n3\n', 1, [2, 0, 1])).toBe('h\n3\n1\n2\n');
    expect(await write('1\n2\n3\n', 0, [1, 1])).toBe('2\n2\n');
    expect(await write('h\n', 1, [])).toBe('h\n');
    expect(await write('', 0, [])).toBe('');
  });

  it('get the end of the first line if the last one has none', async () => {
    expect(await write('a\nb', 0, [1, 0])).toBe('b\na\n');
    expect(await write('a\r\nb', 0, [1, 0])).toBe('b\r\na\r\n');
    expect(await write('a\r\nb', 0, [0])).toBe('a\r\n');
    expect(await write('"x\n\r"\nb', 0, [1, 0])).toBe('b\n"x\n\r"\n');
    // A return that is no end of a line is a byte of its field.
    expect(await write('a\rb', 0, [0])).toBe('a\rb\n');
    expect(await write('\rb', 0, [0])).toBe('\rb\n');
    expect(await write('h\r\nb', 1, [0])).toBe('h\r\nb\r\n');
  });

  it('may be of any length, the last one too', () => {
    for (const length of [0, 1, 7, 8, 9, 127, 128, 129, 300]) {
      const rows = ['', 'ab', 'x'.repeat(length), 'c'].map((row) => `${row}\n`);
      const starts = Uint32Array.from(
        [0, ...rows.keys()].map((_, i) => rows.slice(0, i).join('').length),
      );
      const from = { bytes: bytesOf(rows.join('')), starts, rows: rows.length, ending: undefined };
      const order = Uint32Array.from({ length: 200 }, () => random.below(rows.length));
      const expected = [...order].map((row) => rows[row]).join('');
      expect(textOf(gatherLines(from, order))).toBe(expected);
      const ended = { ...from, ending: bytesOf('!!') };
      expect(textOf(gatherLines(ended, Uint32Array.of(0, 3, 2)))).toBe(`${rows[0]}c\n!!${rows[2]}`);
    }
  });
});
