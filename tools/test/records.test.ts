/** Records that somebody sends are believed only if they are whole, right and possible. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SERIES as MEASURED } from '../../apps/compare/src/settings/settings.js';
import { casesOf, faultsOf, faultsOfFile, machinesIn, SERIES } from '../checks/records.mjs';

const PROGRAM = fileURLToPath(new URL('../checks/records.mjs', import.meta.url));

const CELL = {
  series: 'builtin',
  length: 1000,
  software: false,
  samples: [0.1, 0.11],
  calls: 10,
  clock: 'host',
  verified: 22,
};
const FAST = { ...CELL, series: 'cpu', samples: [0.05, 0.05] };
const LONG = { ...FAST, length: 100_000, samples: [2], calls: 1, verified: 2 };

const PAGE = {
  format: 'keysweep-compare/1',
  date: '2026-11-23T10:00:00.000Z',
  settings: { keyType: 'f32', payload: 'none', distribution: 'zipf' },
  facts: { browser: 'Firefox 153 on Linux', threads: 8, probes: {} },
  choices: [],
  whole: true,
  cells: [CELL, FAST, LONG],
};

const RESULT = {
  operation: 'sort',
  keyType: 'u32',
  length: 1000,
  distribution: 'random',
  backend: 'cpu',
  ours: [1, 3, 2],
  theirs: [8, 8, 8],
  verified: true,
};
const BENCH = {
  date: '2026-11-23T10:00:00.000Z',
  version: '0.1.0',
  seed: 1,
  machine: { cpu: 'A', cores: 8, memory: 2 ** 34, node: '24.1.0', os: 'linux x64' },
  results: [RESULT],
};

const cell = (change: object) => ({ ...PAGE, cells: [CELL, { ...FAST, ...change }, FAST] });
const result = (change: object) => ({ ...BENCH, results: [{ ...RESULT, ...change }] });

describe('a record is taken', () => {
  const failed = { ...FAST, series: 'webgl2', samples: [], error: 'the context was lost' };
  it.each([
    ['of the comparison page', PAGE],
    ['of a page where a backend failed', { ...PAGE, cells: [...PAGE.cells, failed] }],
    ['of the program', BENCH],
    ['of a GPU, whose clock may go back', { ...result({ ours: [2, -0.1, 2] }), gpu: {} }],
  ])('%s', (_, record) => {
    expect(faultsOf(record)).toEqual([]);
  });
});

describe('a record is refused', () => {
  it.each([
    ['that is none', 7, /no object/],
    ['without a date', { ...PAGE, date: 'today' }, /date is "today"/],
    ['of another format', { ...PAGE, format: 'mine' }, /format/],
    ['of a run that was ended', { ...PAGE, whole: false }, /ended/],
    ['of a page without a machine', { ...PAGE, facts: { browser: '' } }, /facts lack/],
    ['of a page without cells', { ...PAGE, cells: [] }, /cells are missing/],
    ['with a wrong result', cell({ fault: 'not in order' }), /cells\[1\] had a wrong result/],
    ['with an unknown series', cell({ series: 'mine' }), /no known series/],
    ['with a negative time', cell({ samples: [-1] }), /above 0/],
    ['with a length that is none', cell({ length: 0.5 }), /number of keys/],
    ['with fewer checks than sorts', cell({ verified: 1 }), /fewer verified/],
    ['with phases longer than sorts', cell({ phases: { sort: 3 } }), /slowest sample/],
    ['faster than memory', cell({ samples: [1e-6] }), /faster than memory/],
    ['whose long sort is the shorter', cell({ length: 2e5, samples: [0.011] }), /far less/],
    ['of a program without a processor', { ...BENCH, machine: { cores: 2 } }, /machine lacks/],
    ['of a program without a version', { ...BENCH, version: undefined }, /version/],
    ['of a program without results', { ...BENCH, results: [] }, /results are missing/],
    ['that was not verified', result({ verified: false }), /not verified/],
    ['with a time that is none', result({ ours: [1, 0] }), /ours has a time/],
    ['of impossible rates', result({ ours: [1e-6] }), /faster than memory/],
  ])('%s', (_, record, reason) => {
    expect(faultsOf(record).join('\n')).toMatch(reason);
  });
});

describe('the name of a record', () => {
  const machines = machinesIn(
    '| `a-1` | ours |\n\n## Machines of visitors\n\n| machine | what |\n| `b` | theirs |\n',
  );
  const text = JSON.stringify(PAGE);

  it('says machine, date and what was run', () => {
    expect(machines.get('a-1')).toEqual({ description: 'ours', isOurs: true });
    expect(machines.get('b')).toEqual({ description: 'theirs', isOurs: false });
    expect(faultsOfFile('a-1/2026-11-23-compare-page.json', text, machines)).toEqual([]);
    expect(faultsOfFile('b/2026-11-23-compare-page.json', text, machines)).toEqual([]);
  });

  it.each([
    ['mine.json', /not MACHINE/],
    ['A/2026-11-23-cpu.json', /not MACHINE/],
    ['c/2026-11-23-cpu.json', /`c` is/],
    ['b/2026-11-22-cpu.json', /2026-11-22/],
  ])('%s is none of them', (name, reason) => {
    expect(faultsOfFile(name, text, machines).join('\n')).toMatch(reason);
  });
});

it('both kinds of records are read alike', () => {
  const common = { operation: 'sort', length: 1000, backend: 'cpu', isReal: false };
  expect(casesOf(BENCH)).toEqual([
    { ...common, keyType: 'u32', distribution: 'random', ours: 2, theirs: 8 },
  ]);
  const [first] = casesOf(PAGE);
  expect(first).toEqual({
    ...common,
    keyType: 'f32',
    distribution: 'zipf',
    ours: 0.05,
    theirs: expect.closeTo(0.105),
  });
  const settings = { ...PAGE.settings, distribution: 'column' };
  const auto = { ...FAST, series: 'auto', backend: 'webgpu', samples: [0.06] };
  const column = { ...PAGE, settings, cells: [CELL, FAST, auto] };
  const [real] = casesOf(column);
  expect(real).toMatchObject({
    isReal: true,
    backend: 'webgpu',
    ours: 0.06,
    distribution: 'a column of a file',
  });
});

it('the program takes all records of ours, and refuses a file that lies elsewhere', () => {
  const run = (...files: string[]) =>
    spawnSync(process.execPath, [PROGRAM, ...files], { encoding: 'utf8' });
  const records = fileURLToPath(new URL('../../apps/bench/records', import.meta.url));
  const count = readdirSync(records, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /[\\/].*\.json$/.test(file),
  ).length;
  expect(run()).toMatchObject({ status: 0, stdout: `${count} records are as they should be\n` });
  const folder = mkdtempSync(join(tmpdir(), 'keysweep-record-'));
  try {
    const file = join(folder, 'record.json');
    writeFileSync(file, JSON.stringify({ ...PAGE, whole: false }));
    const { status, stderr } = run(file);
    expect(status).toBe(1);
    expect(stderr).toBe(`${file}: the run was ended before it was whole\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('records of the page may have every series that it measures', () => {
  expect(SERIES).toEqual(MEASURED);
});
