/** Tables of text, by the command. What fields and rows are is tested in packages/files. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isThorough, Random, sample } from '@keysweep/conformance/data';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { inProcess, keysweep, scratch, shell, sortedBy } from './command.js';
import { SEED } from './keys.js';

drawTests(1 / 2);

const path = scratch();

/** Sorts `text`, as the file `name`, and gives what is written. */
async function sorted(text: string, args: readonly string[], name = 'in.csv'): Promise<string> {
  writeFileSync(path(name), text);
  return String(await sortedBy([path(name), ...args], path(`out-${name}`)));
}

describe('rows of a table of text', () => {
  it('are sorted by integers, numbers and text, and tie in their order', async () => {
    const text = 'n,x,t\n10,1e1,b\n9,9.5,B\n-3,-0.0,\u00e4\n10,0,a\n';
    const by = async (...args: string[]): Promise<string> =>
      (await sorted(text, args)).replaceAll('\n', ' ');
    expect(await by('-c', 'n')).toBe('n,x,t -3,-0.0,\u00e4 9,9.5,B 10,1e1,b 10,0,a ');
    expect(await by('-c', 'n', '-r')).toBe('n,x,t 10,1e1,b 10,0,a 9,9.5,B -3,-0.0,\u00e4 ');
    expect(await by('-c', 'x')).toBe('n,x,t -3,-0.0,\u00e4 10,0,a 9,9.5,B 10,1e1,b ');
    expect(await by('-c', 't')).toBe('n,x,t 9,9.5,B 10,0,a 10,1e1,b -3,-0.0,\u00e4 ');
    expect(await by('-c', 'n:text')).toBe('n,x,t -3,-0.0,\u00e4 10,1e1,b 10,0,a 9,9.5,B ');
    expect(await by('-c', 'n:desc,t')).toBe('n,x,t 10,0,a 10,1e1,b 9,9.5,B -3,-0.0,\u00e4 ');
    expect(await by('-c', 'n', '-c', 't')).toBe('n,x,t -3,-0.0,\u00e4 9,9.5,B 10,0,a 10,1e1,b ');
    expect(await by('-c', 'n', '--head', '1')).toBe('n,x,t -3,-0.0,\u00e4 ');
    expect(await by('-c', 'n', '-u')).toBe('n,x,t -3,-0.0,\u00e4 9,9.5,B 10,1e1,b ');
    expect(await by('-c', 'n', '-u', '--head', '2')).toBe('n,x,t -3,-0.0,\u00e4 9,9.5,B ');
    expect(await by('-c', 'n', '-r', '-u', '--head', '2')).toBe('n,x,t 10,1e1,b 9,9.5,B ');
  });

  it('keep their bytes: quotes, blanks, ends of lines, and the mark of UTF-8', async () => {
    const text = '\ufeff"a",b\r\n"10" , x\n'.replace(' ,', ',');
    expect(await sorted(`${text} 9,"y\n""z"""\n007,\0`, ['-c', 'a'])).toBe(
      `\ufeff"a",b\r\n007,\0\r\n 9,"y\n""z"""\n"10", x\n`,
    );
  });

  it('have nulls if fields are empty, last or first', async () => {
    const text = 'a,b\n,1\n2,2\n"",3\n1,4\n';
    expect(await sorted(text, ['-c', 'a:desc'])).toBe('a,b\n2,2\n1,4\n,1\n"",3\n');
    expect(await sorted(text, ['-c', 'a:nulls-first'])).toBe('a,b\n,1\n"",3\n1,4\n2,2\n');
  });

  it('of columns without names are sorted by their numbers', async () => {
    expect(await sorted('b;2\na;10\n', ['--no-header', '--delimiter', ';', '-c', '2'])).toBe(
      'b;2\na;10\n',
    );
    expect(await sorted('x\t"2\ny\t"10\n', ['--no-header', '-c', '2'], 'in.tsv')).toBe(
      'y\t"10\nx\t"2\n',
    );
  });

  it('of a column whose name has a comma are sorted by it', async () => {
    expect(await sorted('"a,b",a,b\n2,1,1\n1,2,2\n', ['-c', 'a,b'])).toBe(
      '"a,b",a,b\n1,2,2\n2,1,1\n',
    );
  });

  it('come from standard input and go to standard output', async () => {
    const args = ['sort', '--format', 'csv', '-c', 'a'];
    const { code, stdout, stderr } = await keysweep(args, Buffer.from('a,b\n2,x\n1,y'));
    expect({ code, stderr, text: String(stdout) }).toEqual({
      code: 0,
      stderr: '',
      text: 'a,b\n1,y\n2,x\n',
    });
  });

  it('are written as Parquet and Arrow, with types, and as an order or values', async () => {
    const text = 'a,b,c\n2,x,0.5\n1,,7\n';
    writeFileSync(path('in.csv'), text);
    const parquet = await sortedBy([path('in.csv'), '-c', 'a'], path('o.parquet'));
    expect(await parquetReadObjects({ file: Uint8Array.from(parquet).buffer })).toEqual([
      { a: 1n, b: null, c: 7 },
      { a: 2n, b: 'x', c: 0.5 },
    ]);
    const arrow = await sortedBy([path('in.csv'), '-c', 'c:text'], path('o.arrow'));
    expect(
      tableFromIPC(arrow)
        .toArray()
        .map((row) => row.toJSON()),
    ).toEqual([
      { a: 2n, b: 'x', c: '0.5' },
      { a: 1n, b: null, c: '7' },
    ]);
    const order = await sortedBy([path('in.csv'), '-c', 'a', '--argsort'], path('o.u32'));
    expect([...new Uint32Array(Uint8Array.from(order).buffer)]).toEqual([1, 0]);
    const values = await sortedBy([path('in.csv'), '-c', 'c', '--values-only'], path('o.f64'));
    expect([...new Float64Array(Uint8Array.from(values).buffer)]).toEqual([0.5, 7]);
  });

  it(`are the ones that a plain sort gives (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    const rows = Array.from({ length: isThorough ? 200_000 : 3000 }, (_, i) => ({
      id: i,
      price: (random.below(2000) - 1000) / 8,
      name: 'abcdefgh'.slice(random.below(8)).repeat(random.below(4)),
    }));
    const line = ({ id, price, name }: (typeof rows)[0]): string => `${id},${price},${name}\n`;
    const text = `id,price,name\n${rows.map(line).join('')}`;
    const compareNames = (one: string, other: string): number => {
      if (one === '' || other === '') return Number(one === '') - Number(other === '');
      return Number(one > other) - Number(one < other);
    };
    const byPrice = rows.toSorted((a, b) => b.price - a.price);
    expect(await sorted(text, ['-c', 'price:desc'])).toBe(
      `id,price,name\n${byPrice.map(line).join('')}`,
    );
    const byName = rows.toSorted((a, b) => compareNames(a.name, b.name) || a.price - b.price);
    expect(await sorted(text, ['-c', 'name,price'])).toBe(
      `id,price,name\n${byName.map(line).join('')}`,
    );
  });
});

describe('a table of text', () => {
  it.each([
    ['a row of too few fields', 'a,b\n1,2\n3\n', /line 3 of '.*' has 1 field, but .* 2 fields\n$/],
    ['a row of too many', 'a,b\n1,2\n3,"x\ny",5\n', /line 3 of '.*' has 3 fields, but /],
    ['an empty line', 'a,b\n1,2\n\n3,4\n', /line 3 of '.*' is empty, but /],
    ['a quote without an end', 'a,b\n1,"2\n3,4\n', /line 2 of '.*' has a quote that does not end/],
    ['something after a quote', 'a,b\n"1"2,2\n', /line 2 of '.*' has something after the quote/],
    ['two columns of a name', 'a,a\n1,2\n', /has several columns 'a'; with --no-header/],
    ['no such column', 'b,c\n1,2\n', /has no column 'a'; its columns are: b, c\n$/],
    [
      'no such column by another delimiter',
      'b;a\n1;2\n',
      /are: b;a \(if .* say --delimiter ';'\)\n$/,
    ],
    ['nothing in it', '', /has no column 'a'; its columns are: \(none\)\n$/],
  ])('is refused for %s, and nothing is written', async (_, text, message) => {
    writeFileSync(path('in.csv'), text);
    const { code, stderr } = await inProcess([
      'sort',
      path('in.csv'),
      '-c',
      'a',
      '-o',
      path('out.csv'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(readdirSync(path(''))).toEqual(['in.csv']);
  });

  it('has no column with an order that there is not', async () => {
    writeFileSync(path('in.csv'), 'x:b,a\n1,2\n');
    const sort = (column: string) => inProcess(['sort', path('in.csv'), '-c', column]);
    const { code, stderr } = await sort('a:down');
    expect(code).toBe(1);
    expect(stderr).toMatch(/no column 'a:down'; .* a \(':down' is none of :asc, .*, :text\)\n$/);
    expect((await sort('b:down')).stderr).toMatch(/its columns are: x:b, a\n$/);
  });

  it('that is not sorted is named by its lines', async () => {
    writeFileSync(path('in.csv'), 'a,b\n1,"x\ny"\n3,z\n2,z\n');
    for (const args of [['sort', '--check'], ['check']]) {
      const { code, stderr } = await inProcess([...args, path('in.csv'), '-c', 'a']);
      expect(code).toBe(1);
      expect(stderr).toBe(
        `keysweep: '${path('in.csv')}' is not sorted: line 5 belongs before line 4 ` +
          '(the first line is 1)\n',
      );
      expect((await inProcess([...args, path('in.csv'), '-c', 'b'])).code).toBe(0);
    }
  });

  it('that takes too much memory is refused by a line that says how much is enough', async () => {
    const name = 'x'.repeat(20);
    const rows = Array.from({ length: 60_000 }, (_, i) => `${i},${name}${i % 7}\n`);
    const text = `a,b\n${rows.join('')}`;
    writeFileSync(path('in.csv'), text);
    const sort = (memory: string, column: string): ReturnType<typeof inProcess> =>
      inProcess(['sort', path('in.csv'), '-c', column, '-o', path('o.csv'), '--memory', memory]);
    const cases = ['1M', '2M', '3M'].flatMap((given) => [
      [given, 'a'] as const,
      [given, 'b'] as const,
    ]);
    for (const [given, column] of sample(cases, 3)) {
      const refused = await sort(given, column);
      expect(refused.code).toBe(1);
      const [, needed = ''] = /: --memory (\d+M) allows it\n$/.exec(refused.stderr) ?? [];
      expect(refused.stderr).toContain('.csv\u0027 takes ');
      expect(existsSync(path('o.csv'))).toBe(false);
      expect(await sort(needed, column)).toEqual({ code: 0, stderr: '' });
      expect(readFileSync(path('o.csv')).length).toBe(text.length);
      await shell('rm o.csv', path(''));
    }
    const piped = await keysweep(
      ['sort', '--format', 'csv', '-c', 'a', '--memory', '1M'],
      Buffer.from(text),
    );
    expect(piped.code).toBe(1);
    expect(piped.stderr).toMatch(
      /^keysweep: cannot read standard input: it has over 1048576 bytes/,
    );
  });
});
