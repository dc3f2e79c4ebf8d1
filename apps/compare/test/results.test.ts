import { describe, expect, it } from 'vitest';
import {
  formatLeft,
  formatLength,
  formatRate,
  formatRatio,
  formatRatioTick,
  formatTick,
  formatTime,
} from '../src/page/format.js';
import { crossoversOf, fasterThan, pointsOf } from '../src/results/points.js';
import { type Results, toJson } from '../src/results/record.js';
import { toCsv } from '../src/results/to-csv.js';
import { verdictsOf } from '../src/results/verdicts.js';
import type { Cell } from '../src/run/events.js';
import { DEFAULTS } from '../src/settings/settings.js';

const cell = (
  series: Cell['series'],
  length: number,
  samples: number[],
  more?: Partial<Cell>,
): Cell => ({
  series,
  length,
  software: false,
  samples,
  calls: 1,
  clock: 'host',
  verified: samples.length,
  ...more,
});

/** The CPU backend is half as fast as the built-in at 2^10 keys, twice at 2^14: equal at 2^12. */
const CELLS: readonly Cell[] = [
  cell('builtin', 1024, [1, 3, 2]),
  cell('cpu', 1024, [4, 4, 4]),
  cell('webgpu', 1024, [], { error: 'the GPU device was lost, "alas"' }),
  cell('builtin', 16_384, [40]),
  cell('cpu', 16_384, [20], { phases: { upload: 1, sort: 18, readback: 1 }, predicted: 25 }),
  cell('webgpu', 16_384, [80], { software: true }),
];

describe('pointsOf', () => {
  it('gives rates, and ratios by medians', () => {
    const points = pointsOf(CELLS);
    expect(points.map(({ series, length }) => [series, length])).toEqual([
      ['builtin', 1024],
      ['builtin', 16_384],
      ['cpu', 1024],
      ['cpu', 16_384],
      ['webgpu', 16_384],
    ]);
    expect(points[0]).toMatchObject({ rate: 512_000, speedup: 1 });
    expect(points[0]!.slowRate).toBeCloseTo(1_024_000 / 2.5);
    expect(points.slice(2).map(({ speedup }) => speedup)).toEqual([0.5, 2, 0.5]);
  });

  it('leaves out cells with a fault', () => {
    expect(pointsOf([cell('cpu', 8, [1], { fault: 'key 3 is 2 instead of 1' })])).toEqual([]);
  });

  it('says which other one was faster than a choice, and not the one that was chosen', () => {
    const column = (backend: 'cpu' | 'builtin') =>
      pointsOf([
        cell('builtin', 1024, [40]),
        cell('cpu', 1024, [10]),
        cell('auto', 1024, [20], { backend }),
      ]);
    expect(fasterThan(column('cpu'), 1024, 'auto')).toBeUndefined();
    expect(fasterThan(column('builtin'), 1024, 'auto')?.other.series).toBe('cpu');
  });

  it('gives crossovers by a straight line on logarithmic axes', () => {
    const [crossing, ...others] = crossoversOf(pointsOf(CELLS));
    expect(others).toEqual([]);
    expect(crossing).toMatchObject({ series: 'cpu', pays: true });
    expect(crossing!.length).toBeCloseTo(4096);
    // From half as fast at 2^10 to a quarter of the time at 2^16: a third of the way.
    const steep = [
      ...CELLS.slice(0, 2),
      cell('builtin', 65_536, [40]),
      cell('cpu', 65_536, [10]),
      cell('builtin', 2 ** 18, [80]),
      cell('cpu', 2 ** 18, [160]),
    ];
    const crossings = crossoversOf(pointsOf(steep));
    expect(crossings.map(({ pays }) => pays)).toEqual([true, false]);
    expect(crossings[0]!.length).toBeCloseTo(4096);
  });
});

it('writes verdicts with crossovers, software renderers and errors', () => {
  expect(verdictsOf(CELLS, []).map(({ text, isBad }) => [text, isBad])).toEqual([
    [
      'CPU backend beats the built-in from about 4,100 keys on: up to 2× at 16,384 keys (20 ms).',
      false,
    ],
    [
      'WebGPU, array to array (software, not a GPU) does not beat the built-in at ' +
        'these lengths: at best it is 2× slower at 16,384 keys (80 ms).',
      false,
    ],
    [
      'WebGPU, array to array (software, not a GPU) at 1,024 keys: ' +
        'the GPU device was lost, "alas".',
      true,
    ],
  ]);
});

it('says where the choice was slower than another backend', () => {
  const choices = [1024, 16_384].map((length) => ({
    length,
    backend: 'builtin' as const,
    reason: '',
    profile: '',
  }));
  const [only, ...others] = verdictsOf(CELLS, choices).slice(3);
  expect(others).toEqual([]);
  expect(only?.text).toBe(
    'At 16,384 keys ‘auto’ chose a slower one: Built-in sort took 40 ms, CPU backend 20 ms.',
  );
});

const RESULTS: Results = {
  date: '2026-11-21T00:00:00.000Z',
  settings: DEFAULTS,
  facts: {} as Results['facts'],
  cells: CELLS,
  choices: [{ length: 1024, backend: 'cpu', reason: 'it pays', profile: 'built-in' }],
  whole: true,
};

it('writes all results to a JSON record', () => {
  expect(JSON.parse(toJson(RESULTS))).toEqual({ format: 'keysweep-compare/1', ...RESULTS });
});

it('writes a CSV line a cell, with quotes where they are needed', () => {
  const [head, ...lines] = toCsv(CELLS).trimEnd().split('\n');
  const names = head!.split(',');
  expect(lines.length).toBe(CELLS.length);
  const fieldsOf = (line: string): Record<string, string> =>
    Object.fromEntries(line.split(',').map((text, i) => [names[i], text]));
  expect(fieldsOf(lines[4]!)).toMatchObject({
    series: 'cpu',
    keys: '16384',
    median_ms: '20',
    keys_per_second: '819200',
    times_builtin: '2',
    predicted_ms: '25',
    upload_ms: '1',
    problem: '',
  });
  expect(lines[2]).toMatch(/,"the GPU device was lost, ""alas"""$/);
  expect(fieldsOf(lines[5]!)).toMatchObject({ series: 'webgpu', software: 'true' });
});

it('formats lengths, ratios, times, rates and the time left', () => {
  expect([7, 1000, 12_345, 1e6, 3.5e6, 2 ** 20].map(formatLength)).toEqual([
    '7',
    '1,000',
    '12,345',
    '1 million',
    '3.5 million',
    '1,048,576',
  ]);
  expect([7, 1000, 3e5, 1e6, 2 ** 20].map(formatTick)).toEqual([
    '7',
    '1 k',
    '300 k',
    '1 M',
    '1.05 M',
  ]);
  expect([12.54, 1, 0.9999, 0.5, 0.00914].map(formatRatio)).toEqual([
    '12.5×',
    '1×',
    '1×',
    '2× slower',
    '109× slower',
  ]);
  expect([10, 1, 0.1].map(formatRatioTick)).toEqual(['10×', '1×', '1/10']);
  expect([0.0123, 0.85, 12.345, 2413].map(formatTime)).toEqual([
    '12.3 µs',
    '850 µs',
    '12.3 ms',
    '2.41 s',
  ]);
  expect([512, 512_000, 38.4e9].map(formatRate)).toEqual(['512', '512 k', '38.4 G']);
  expect([3, 42, 200].map(formatLeft)).toEqual([
    'a few seconds left',
    'about 45 seconds left',
    'about 3 minutes left',
  ]);
});
