import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { namesTable, substitutesTable } from '../src/report/cpu.js';
import type { SubstituteResult } from '../src/suites/substitutes.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

it('substitutes gives the orders of the libraries, and writes a record', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keysweep-substitutes-'));
  const json = join(folder, 'record.json');
  const args = ['substitutes', '--rows', '3000', '--samples', '2', '--json', json];
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const record = JSON.parse(await readFile(json, 'utf8'));
  const results: SubstituteResult[] = record.results;
  expect(results.length).toBe(6);
  for (const { name, ours, theirs, verified } of results) {
    expect(stdout).toContain(name);
    expect([ours.length, theirs.length, verified]).toEqual([2, 2, true]);
  }
  await rm(folder, { recursive: true });
});

it('shows what was wrong as wrong, in the table of a record', () => {
  const one = { name: 'a sort', rows: 1e6, theirs: [30, 20, 10], ours: [2, 2, 9] };
  const results = [
    { ...one, verified: true },
    { ...one, verified: false },
  ];
  const source = { name: 'a', path: 'a', record: { results } } as never;
  const [, , first, second] = substitutesTable(source).split('\n');
  expect(first).toMatch(/^\| a sort \| .* \| 20\.0 ms \| 2\.00 ms \| 10\.0 \|$/);
  expect(second).toMatch(/\| wrong \|$/);
});

it('shows rows by names beside toSorted, each case in a line', () => {
  const of = (name: string, milliseconds: readonly number[], verified = true) => ({
    ...{ case: 'one', name, milliseconds, verified },
  });
  const [ours, theirs] = [of('keysweep', [9, 2, 2]), of('toSorted', [30, 20, 10])];
  const two = [of('keysweep', [5]), of('toSorted', [9], false)].map((way) => ({
    ...way,
    case: 'two',
  }));
  const records = [[ours, theirs, of('keysweep, prepared', [1])], two];
  const sources = records.map((results) => ({ name: 'a', path: 'a', record: { results } }));
  const context = { records: 'records', link: (path: string) => path };
  const [, , first, second] = namesTable(sources as never, context as never).split('\n');
  expect(first).toBe('| one ([record](records/a.json)) | 20.0 ms | 2.00 ms | 10.0 | 1.00 ms |');
  expect(second).toMatch(/^\| two .* \| wrong \| +\|$/);
});
