/** The section "Your data" of the page, as it is built. */

import { readFile } from 'node:fs/promises';
import { bytesSource, openTable } from '@keysweep/files';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { casesOf, faultsOf } from '../../../tools/checks/records.mjs';
import { fromResultHash } from '../src/results/link.js';
import { rowsOf as arrowRows, fileOf, streamOf } from './arrow-files.js';
import { drivePage, namesIn, page, problems, rowsOf, SMALL } from './driver.js';

drivePage(SMALL);

/** The rows of a table in which everything was sorted right. */
const sortedOf = (keys: string): string[] =>
  ['Built-in sort', 'CPU backend', 'keysweep’s choice'].map((name) => `${keys} ${name} ✓`);

describe('your data', () => {
  const delay = Array.from({ length: 3000 }, (_, i) => ((i * 7919) % 3001) / 8 - 100);
  const flights = (): Buffer =>
    Buffer.from(
      parquetWriteBuffer({
        columnData: [
          { name: 'carrier', data: delay.map(() => 'AA'), type: 'STRING' },
          { name: 'delay', data: delay, type: 'DOUBLE' },
          { name: 'flight', data: delay.map((_, i) => BigInt(i % 17)), type: 'INT64' },
        ],
      }),
    );

  /** Drops a file, as a mouse would. */
  async function drop(name: string, bytes: Buffer): Promise<void> {
    const transfer = await page.evaluateHandle(
      ([name, base64]) => {
        const transfer = new DataTransfer();
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
        transfer.items.add(new File([bytes], name));
        return transfer;
      },
      [name, bytes.toString('base64')] as const,
    );
    await page.dispatchEvent('#drop', 'drop', { dataTransfer: transfer });
  }

  const choose = (name: string, bytes: Buffer): Promise<void> =>
    page.locator('#file').setInputFiles({ name, mimeType: '', buffer: bytes });

  /** Sorts the chosen column. Returns the table's rows: keys, series and mark. */
  async function sortIt(): Promise<string[]> {
    await page.locator('#data-run').click();
    await page.waitForFunction(() => document.body.dataset.dataRun === 'over');
    const rows = await rowsOf('#data-table');
    return namesIn(rows).map((row, i) => `${row.join(' ')} ${rows[i]?.at(-1)?.charAt(0)}`);
  }

  it('sorts columns of a dropped Parquet file, and checks them', async () => {
    await drop('flights.parquet', flights());
    await page.locator('#data-form').waitFor();
    expect(await page.locator('#data-file').innerText()).toMatch(
      /^flights\.parquet: .*, 3,000 rows$/,
    );
    expect(await page.locator('#column option').allInnerTexts()).toEqual([
      'carrier · BYTE_ARRAY (UTF8) (not numeric)',
      'delay · DOUBLE',
      'flight · INT64',
    ]);
    const sorted = sortedOf('3,000');
    expect(await sortIt()).toEqual(sorted);
    expect(await page.locator('#data-results-title').innerText()).toBe(
      'delay (Float64Array), sorted, ascending',
    );
    await page.locator('#column').selectOption('flight');
    await page.locator('#data-payload').selectOption('indices');
    expect(await sortIt()).toEqual(sorted);
    await page.locator('#data-payload').selectOption('none');
    expect(problems).toEqual([]);
  });

  it('saves a record and a link, which have the times and nothing of the file', async () => {
    await drop('flights.parquet', flights());
    await page.locator('#data-form').waitFor();
    await page.locator('#column').selectOption('delay');
    await sortIt();
    const waiting = page.waitForEvent('download');
    await page.locator('#data-json').click();
    const text = await readFile(await (await waiting).path(), 'utf8');
    const record = JSON.parse(text);
    expect(faultsOf(record)).toEqual([]);
    expect(casesOf(record)).toMatchObject([
      { operation: 'sort', keyType: 'f64', length: 3000, isReal: true },
    ]);
    expect(text).not.toMatch(/flights|delay/);

    await page.locator('#data-link').click();
    await page.locator('#data-shared').waitFor();
    const results = await fromResultHash(new URL(page.url()).hash);
    expect(results?.cells.map(({ series }) => series)).toEqual(['builtin', 'cpu', 'auto']);
    expect(results?.settings).toMatchObject({ distribution: 'column', lengths: [3000] });
    expect(JSON.stringify(results)).not.toMatch(/flights|delay/);
    const other = await page.context().newPage();
    await other.goto(page.url());
    const headline = other.locator('#answer-headline');
    await expect
      .poll(() => headline.innerText())
      .toMatch(/^On that machine, without a GPU: (.* at 3,000 keys of a file|no faster .*)\.$/);
    // What is measured there next is drawn.
    expect(await other.locator('[name="distribution"]').inputValue()).toBe('random');
    await other.close();
    await sortIt();
    expect(await page.locator('#data-shared').isHidden()).toBe(true);
    expect(problems).toEqual([]);
  });

  it('sorts and checks columns of Arrow files and of streams of several batches', async () => {
    for (const [name, bytes, column] of [
      ['flights.arrow', fileOf(arrowRows(delay)), 'single'],
      ['flights.arrows', streamOf(delay, [7, 1001, 3000]), 'long'],
    ] as const) {
      await drop(name, bytes);
      await expect
        .poll(() => page.locator('#data-file').innerText())
        .toMatch(new RegExp(`^${name.replace('.', '[.]')}: .*, 3,000 rows$`));
      expect(await page.locator('#column option').allInnerTexts()).toEqual([
        'single · Float32',
        'long · Int64',
        'text · Utf8 (not numeric)',
      ]);
      await page.locator('#column').selectOption(column);
      expect(await sortIt()).toEqual(sortedOf('3,000'));
    }
    expect(problems).toEqual([]);
  });

  it('sorts CSV and raw files, and says what is wrong with a file', async () => {
    const news = page.locator('#data-status');
    await choose('a.csv', Buffer.from('name,size\nx,3\ny,1\nz,2\n'));
    await expect.poll(() => page.locator('#data-file').innerText()).toMatch(/a\.csv: .*, 3 rows/);
    expect(await sortIt()).toEqual(sortedOf('3'));
    await choose('a.bin', Buffer.from(Float32Array.of(3, Number.NaN, -0, 0).buffer));
    await expect
      .poll(() => page.locator('#data-file').innerText())
      .toMatch(/a\.bin: 16 bytes, 4 rows/);
    expect((await sortIt()).length).toBe(3);
    await choose('b.bin', Buffer.alloc(6));
    await expect
      .poll(() => news.innerText())
      .toMatch(/its 6 bytes are not a multiple of the 4 bytes/);
    await choose('c.parquet', Buffer.from('no such thing'));
    await expect.poll(() => news.innerText()).toMatch(/^Cannot read 'c\.parquet' as Parquet: /);
    // A few kilobytes that become some 70 MB.
    const data = new BigInt64Array(9_000_000);
    const same = parquetWriteBuffer({
      columnData: [{ name: 'x', data, type: 'INT64' }],
      rowGroupSize: data.length,
      pageSize: 2 ** 30,
    });
    await choose('same.parquet', Buffer.from(same));
    await expect
      .poll(() => news.innerText())
      .toMatch(
        /^'same\.parquet' takes \d\d MB of memory, and this page gives a file of its size 6/,
      );
    await choose('d.arrow', Buffer.from('no such thing'));
    await expect.poll(() => news.innerText()).toMatch(/^Cannot read 'd\.arrow' as Arrow: /);
    await choose('e.csv', Buffer.from('name\nx\n'));
    await expect
      .poll(() => news.innerText())
      .toMatch(/has no numeric column\. Its columns: name \(text\)/);
    await choose('f.csv', Buffer.from('a;b\n1,5;2\n3,5;4\n'));
    await expect
      .poll(() => news.innerText())
      .toMatch(/^Line 2 of 'f\.csv' has 2 fields, but its first line has 1 field\.$/);
    await choose('g.csv', Buffer.from('size\n7\n'));
    await expect.poll(() => page.locator('#data-file').innerText()).toMatch(/g\.csv: .*, 1 row$/);
    expect(problems).toEqual([]);
  });

  /** The text of the file that the button makes the browser save, and its name. */
  async function savedFile(): Promise<{ name: string; bytes: Buffer }> {
    const waiting = page.waitForEvent('download');
    await page.locator('#data-save').click();
    const download = await waiting;
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  }

  it('saves the whole file in order, and shows both ends of the column', async () => {
    const preview = page.locator('#preview');
    await choose('a.csv', Buffer.from('name,size\n"x, y",3\ny,-1.5\nz,2\n'));
    await expect.poll(() => preview.innerText()).toBe('In the file\n3, -1.5, 2');
    await page.locator('#data-order').selectOption('descending');
    await sortIt();
    expect(await preview.innerText()).toBe('In the file\n3, -1.5, 2\nSorted\n3, 2, -1.5');
    const csv = await savedFile();
    expect([csv.name, `${csv.bytes}`]).toEqual([
      'sorted-a.csv',
      'name,size\n"x, y",3\nz,2\ny,-1.5\n',
    ]);
    await page.locator('#data-order').selectOption('ascending');

    await drop('flights.parquet', flights());
    // Of a double and an integer the double is taken.
    await expect.poll(() => page.locator('#column').inputValue()).toBe('delay');
    await sortIt();
    const sorted = Float64Array.from(delay).sort();
    expect(await preview.innerText()).toContain(
      `Sorted\n${sorted.slice(0, 6).join(', ')}, …, ${sorted.slice(-6).join(', ')}`,
    );
    const parquet = await savedFile();
    expect(parquet.name).toBe('sorted-flights.parquet');
    const rows = await openTable(bytesSource('sorted', Uint8Array.from(parquet.bytes)), {
      format: 'parquet',
    });
    expect(await rows.read('delay')).toEqual(sorted);
    const flightOf = new Map(delay.map((late, i) => [late, BigInt(i % 17)]));
    expect(Array.from((await rows.read('flight')) as BigInt64Array)).toEqual(
      Array.from(sorted, (late) => flightOf.get(late)),
    );

    await choose('a.bin', Buffer.from(Float32Array.of(3, -1, 2).buffer));
    await expect.poll(() => page.locator('#data-file').innerText()).toMatch(/a\.bin/);
    const raw = await savedFile();
    expect(Array.from(new Float32Array(Uint8Array.from(raw.bytes).buffer))).toEqual([-1, 2, 3]);
    expect(problems).toEqual([]);
  });

  it('ends a file that takes for ever: by another choice, and by "Cancel"', async () => {
    const news = page.locator('#data-status');
    const name = /\/reading-worker-[^/]*\.js$/;
    await page.route(name, async (route) => {
      const response = await route.fetch();
      const endless = 'Blob.prototype.arrayBuffer = () => { for (;;); };';
      await route.fulfill({ response, body: `${endless}${await response.text()}` });
    });
    await choose('endless.arrow', Buffer.from('ARROW1'));
    await expect.poll(() => news.innerText()).toBe('Opening endless.arrow …');
    await choose('next.bin', Buffer.alloc(16));
    await expect
      .poll(() => page.locator('#data-file').innerText())
      .toMatch(/next\.bin: 16 bytes, 4 rows/);
    await page.locator('#data-run').click();
    await expect.poll(() => news.innerText()).toMatch(/^Reading values/);
    await page.locator('#data-cancel').click();
    await expect.poll(() => news.innerText()).toBe('Cancelled.');
    await page.unroute(name);
    await choose('a.bin', Buffer.alloc(8));
    await expect.poll(() => page.locator('#data-file').innerText()).toMatch(/a\.bin: .*, 2 rows/);
    expect((await sortIt()).length).toBe(3);
    expect(problems).toEqual([]);
  });

  it('opens the sample of three million flights', async () => {
    await page.locator('#sample').click();
    // Three columns are read for the choice between them.
    await expect
      .poll(() => page.locator('#data-file').innerText(), { timeout: 60_000 })
      .toMatch(/3,000,000 rows/);
    // Dates are in order already, and delays have fewer values.
    expect(await page.locator('#column').inputValue()).toBe('distance');
  });
});
