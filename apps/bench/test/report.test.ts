import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { machinesIn } from '../../../tools/checks/records.mjs';
import type { GpuRecord, GpuResult } from '../src/gpu/record.js';
import { parseReference } from '../src/gpu/reference.js';
import { bookAt, makeSection, wantedFiles } from '../src/report/documents.js';
import { enginesTable } from '../src/report/engines.js';
import { everywhereTable } from '../src/report/everywhere.js';
import { formatLength, lengthColumns, pivot } from '../src/report/markdown.js';
import { fillParts } from '../src/report/markers.js';
import { SECTIONS } from '../src/report/sections.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('the documents', () => {
  const files = wantedFiles(ROOT, bookAt(ROOT));

  it('have what their records say: else run npm run report', () => {
    const isAsWanted = ({ path, text }: (typeof files)[number]): boolean =>
      existsSync(join(ROOT, path)) && readFileSync(join(ROOT, path), 'utf8') === text;
    expect(files.filter((file) => !isAsWanted(file)).map(({ path }) => path)).toEqual([]);
  });

  it('have parts that are made from records', () => {
    expect(files.some(({ path }) => path.endsWith('.svg'))).toBe(true);
  });

  it('or comments cite every record of ours', () => {
    const machines = machinesIn(readFileSync(join(ROOT, 'apps/bench/records/README.md'), 'utf8'));
    const isOurs = (path: string): boolean =>
      machines.get(path.split(/[\\/]/)[0] ?? '')?.isOurs !== false;
    const citing = [
      ...files.map(({ text }) => text),
      ...['packages/keysweep/src/plan/cost-tables.ts', 'packages/webgpu/tuning.md'].map((path) =>
        readFileSync(join(ROOT, path), 'utf8'),
      ),
    ].join('\n');
    const records = readdirSync(join(ROOT, 'apps/bench/records'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((path) => path.endsWith('.json') && isOurs(path));
    expect(records.length).toBeGreaterThan(0);
    expect(records.filter((path) => !citing.includes(path.replace('.json', '')))).toEqual([]);
  });
});

describe('fillParts', () => {
  const make = (section: string, records: readonly string[]): string =>
    `${section} of ${records.join('+')}\n`;

  it('replaces what stands between markers, and nothing else', () => {
    const text =
      'before\n<!-- report: cpu a/1 b/2 -->\nold\n\nolder\n<!-- end -->\n\nafter\n' +
      '<!-- report: gpu-x -->\n<!-- end -->\n';
    const filled =
      'before\n<!-- report: cpu a/1 b/2 -->\ncpu of a/1+b/2\n<!-- end -->\n\nafter\n' +
      '<!-- report: gpu-x -->\ngpu-x of\n<!-- end -->\n';
    expect(fillParts(text, make)).toBe(filled);
    expect(fillParts(filled, make)).toBe(filled);
    expect(fillParts('no part\n', make)).toBe('no part\n');
  });

  it.each([
    ['<!-- report: cpu -->\ntext\n', 'has no'],
    ['<!-- report: cpu -->\n<!-- report: gpu -->\n<!-- end -->\n', 'has no'],
    ['<!-- report:cpu -->\n<!-- end -->\n', 'is malformed'],
    ['text\n<!-- end -->\n', 'without a beginning'],
  ])('refuses %j', (text, message) => {
    expect(() => fillParts(text, make)).toThrow(message);
  });
});

it.each([
  [1000, '10³'],
  [1e7, '10⁷'],
  [2 ** 26, '2²⁶'],
  [1024, '2¹⁰'],
  [100, '100'],
  [64e6, '64000000'],
])('formatLength(%d) is %s', (length, text) => {
  expect(formatLength(length)).toBe(text);
});

it('pivot places results by row and column, and leaves cells empty for others', () => {
  const results = [
    { who: 'b', length: 1000, time: 7 },
    { who: 'b', length: 100, time: 3 },
    { who: 'a', length: 1000, time: 5 },
  ];
  const text = pivot(results, {
    title: 'who',
    row: ({ who }) => who,
    column: ({ length }) => formatLength(length),
    cell: ({ time }) => `${time} s`,
    columns: lengthColumns(results),
  });
  expect(text.split('\n')).toEqual([
    '| who | 100 | 10³ |',
    '| --- | --: | --: |',
    '| b | 3 s | 7 s |',
    '| a |  | 5 s |',
  ]);
});

/** 2^20 records a millisecond: 1.05 G/s. */
const resultsAt = (keyType: GpuResult['keyType'], distribution: string, size: number) =>
  (['sort', 'sortPairs'] as const).map((operation): GpuResult => {
    const milliseconds = 2 ** (size - 20);
    return {
      ...{ operation, keyType, length: 2 ** size, distribution, backend: 'webgpu', calls: 1 },
      ...{ clock: 'gpu', latency: [1], kernels: [], verified: true },
      ours: [2 * milliseconds, milliseconds, milliseconds / 2],
    };
  });

const keys: GpuRecord = {
  date: '2026-01-02T03:04:05.678Z',
  version: '0.0.0',
  seed: 1,
  machine: { cpu: 'a CPU', cores: 1, memory: 1, node: '20.0.0', v8: '11', os: 'an OS' },
  gpu: {
    ...{ vendor: 'acme', architecture: '', device: 'rocket', driver: 'driver 7', software: false },
    features: ['timestamp-query'],
    limits: {},
  },
  copyRate: undefined,
  reference: parseReference(
    '# CUB 3.6.0\ncub f32-unit.22 keys 2 ms | pairs 3 ms\ncub u32-zipf.26 keys 80 ms',
  ),
  results: [
    ...resultsAt('u32', 'uniform', 22),
    ...resultsAt('u32', 'zipf', 26),
    ...resultsAt('f64', 'depths', 22),
    ...resultsAt('f32', 'unit', 22),
  ],
};

const charts: string[] = [];
const sectionOf = (section: string, of: GpuRecord): string =>
  makeSection(SECTIONS, section, [{ name: 'acme/one', record: of }], {
    records: 'apps/bench/records',
    link: (path) => `../${path}`,
    chart: (name, _, svg) => {
      charts.push(svg);
      return name;
    },
  });

describe('the sections on a GPU', () => {
  it('have a table of keys and one of pairs, real keys first', () => {
    expect(sectionOf('gpu-keys', keys).split('\n')).toEqual([
      '| G keys/s (of CUB 3.6.0) | 2²² | 2²⁶ |',
      '| --- | --: | --: |',
      '| `f32` unit floats, such as `Math.random()` | 1.0 (50 %) |  |',
      '| `u32` Zipf ids |  | 1.0 (125 %) |',
      '| `u32` uniform bits | 1.0 |  |',
      '| `f64` depths | 1.0 |  |',
      '',
      '| G pairs/s (of CUB 3.6.0) | 2²² | 2²⁶ |',
      '| --- | --: | --: |',
      '| `f32` unit floats, such as `Math.random()` | 1.0 (75 %) |  |',
      '| `u32` Zipf ids |  | 1.0 |',
      '| `u32` uniform bits | 1.0 |  |',
      '| `f64` depths | 1.0 |  |',
      '',
      'Record [acme/one](../apps/bench/records/acme/one.json): acme rocket, Node.js 20.0.0, ' +
        '2026-01-02, every result checked.',
    ]);
  });

  it('have a brief table, of a few kinds of keys', () => {
    const [head, , first, second, ...others] = sectionOf('gpu-keys-brief', keys).split('\n');
    expect(head).toBe(
      '| G records/s (of CUB 3.6.0) | 2²² keys | 2²² pairs | 2²⁶ keys | 2²⁶ pairs |',
    );
    expect(first).toMatch(/ unit floats, .* \| 1\.0 \(50 %\) \| 1\.0 \(75 %\) \| {2}\| {2}\|$/);
    expect(second).toBe('| `u32` Zipf ids |  |  | 1.0 (125 %) | 1.0 |');
    expect(others.slice(0, 2)).toEqual(['| `u32` uniform bits | 1.0 | 1.0 |  |  |', '']);
  });

  it('have no wrong result', () => {
    const results = keys.results.map((one, i) => ({ ...one, verified: i > 0 }));
    expect(() => sectionOf('gpu-keys', { ...keys, results })).toThrow('1 results of acme/one');
  });

  it('that there are not are refused', () => {
    expect(() => sectionOf('gpu-dance', keys)).toThrow("there is no section 'gpu-dance'");
  });

  it('say that software is no GPU', () => {
    const text = sectionOf('gpu-keys', { ...keys, gpu: { ...keys.gpu, software: true } });
    expect(text).toContain('acme rocket (SOFTWARE)');
  });
});

describe('the table of where it works', () => {
  const trial = (place: 'process' | 'page', threads: number, warnings: string[] = []) => ({
    place,
    backend: 'cpu',
    threads,
    warnings,
  });

  const row = (name: string, way: string, one: ReturnType<typeof trial>) => ({
    name,
    versions: name === 'a policy' ? [] : ['1.2.3'],
    way,
    trials: [one],
  });
  const record = {
    rows: [
      row('Pack', 'page', trial('page', 1)),
      row('Pack', 'program', trial('process', 2)),
      row('Roll 1', 'program', trial('process', 1)),
      row('a policy', 'page', trial('page', 1, ['lost'])),
    ],
  };

  it('has a row for each tool, with its ways', () => {
    const rows = everywhereTable(record).split('\n').slice(2);
    expect(rows).toEqual([
      '| Pack 1.2.3 | page; program | cpu, 2 threads |  | cpu, 1 thread | none |',
      '| Roll 1.2.3 | program | cpu, 1 thread |  |  | none |',
      '| a policy | page |  |  | cpu, 1 thread | yes |',
    ]);
  });
});

describe('the table of engines', () => {
  const no = (text: string) => ({ works: false, text });
  const yes = (text: string) => ({ works: true, text });
  const row = { version: '7.1', way: 'page', passed: 20, failed: [] as string[] };
  const rows = [
    {
      ...row,
      engine: 'Fire 7',
      hasSharedMemory: true,
      backends: {
        cpu: yes('WebAssembly over shared memory, up to 12 threads'),
        webgpu: yes('a GPU'),
        webgl2: no('no canvas'),
      },
    },
    {
      ...row,
      engine: 'Water',
      failed: ['one'],
      hasSharedMemory: false,
      backends: {
        cpu: yes('WebAssembly in a worker: the page is alone, up to 1 thread'),
        webgpu: no('no adapter'),
        webgl2: no('no canvas'),
      },
    },
  ];

  it('counts checks, and gives each reason once', () => {
    const [, , ...lines] = enginesTable({ rows }).split('\n');
    expect(lines).toEqual([
      '| Fire 7.1 | page | 20 | 0 | 12 | yes | yes | no (1) |',
      '| Water 7.1 | page | 21 | 1 | 1 (2) | no | no (3) | no (1) |',
      '',
      '1. no canvas',
      '2. WebAssembly in a worker, because the page is alone',
      '3. no adapter',
    ]);
  });
});

describe('the chart of a GPU', () => {
  const countOf = (svg: string, pattern: RegExp): number => svg.match(pattern)?.length ?? 0;
  const sizes = [14, 16, 18, 20, 22];
  const results = [
    ...sizes.flatMap((size) => resultsAt('f32', 'unit', size)),
    ...resultsAt('u32', 'zipf', 26),
  ];
  sectionOf('gpu-chart', { ...keys, results });
  const svg = charts.at(-1) ?? '';

  it('draws a line for each program and kind of many lengths, with a dot for each', () => {
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    for (const text of ['f32 unit, keys', 'f32 unit, pairs', 'keysweep', 'CUB']) {
      expect(svg).toContain(`>${text}</text>`);
    }
    expect(svg).not.toContain('zipf');
    expect(countOf(svg, /<circle /g)).toBe(2 * sizes.length + 2);
  });

  it('has a line at each power of ten in its frame, and none outside', () => {
    const [, height] = /viewBox="0 0 \d+ (\d+)"/.exec(svg) ?? [];
    const lines = Array.from(svg.matchAll(/ y1="([^"]+)"/g), ([, y]) => Number(y));
    expect(lines.length).toBeGreaterThan(0);
    for (const y of lines) {
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(Number(height));
    }
  });

  it('has no black or white, which a background could hide', () => {
    expect(svg).not.toMatch(/(fill|stroke)="(black|white|#fff|#000)/);
  });
});
