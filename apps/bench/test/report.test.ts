import { describe, expect, it } from 'vitest';
import { DISTRIBUTIONS, type GpuDistribution } from '../src/gpu/inputs/distributions.js';
import type { GpuResult } from '../src/gpu/record.js';
import { parseReference } from '../src/gpu/reference.js';
import { pageOf } from '../src/report/page.js';
import type { BenchRecord } from '../src/report/rates.js';

/** 2^20 records a millisecond: 1.05 G/s. */
function resultOf(
  operation: GpuResult['operation'],
  keyType: GpuResult['keyType'],
  length: number,
  distribution: GpuDistribution = 'random',
): GpuResult {
  const milliseconds = length / 2 ** 20;
  return {
    ...{ operation, keyType, length, distribution, backend: 'webgpu', clock: 'gpu', calls: 1 },
    ours: [2 * milliseconds, milliseconds, milliseconds / 2],
    latency: [1],
    kernels: [
      { kernel: 'histogram', passes: 1, bytes: 4 * length, milliseconds: [milliseconds / 4] },
      { kernel: 'starts', passes: 1, bytes: 0, milliseconds: [0.01] },
      { kernel: 'sweep', passes: 3, bytes: 24 * length, milliseconds: [milliseconds / 2] },
      { kernel: 'home', passes: 0, bytes: 0, milliseconds: [0.001] },
    ],
    verified: true,
  };
}

const LENGTHS = [2 ** 16, 2 ** 20];

const record: BenchRecord = {
  date: '2026-01-02T03:04:05.678Z',
  version: '0.0.0',
  seed: 1,
  machine: { cpu: 'a CPU', cores: 1, memory: 1, node: '20.0.0', v8: '11', os: 'an OS' },
  gpu: {
    ...{ vendor: 'acme', architecture: '', device: 'rocket', driver: 'driver 7', software: false },
    features: ['timestamp-query'],
    limits: {},
  },
  copyRate: 2 ** 20 * 16,
  reference: parseReference('cub 2^20 keys32 0.500 ms 2.1 Gk/s | pairs32 0.250 ms 4.2 Gp/s'),
  results: [
    ...LENGTHS.map((length) => resultOf('sort', 'u32', length)),
    ...LENGTHS.map((length) => resultOf('sortPairs', 'u32', length)),
    resultOf('sort', 'u64', 2 ** 16),
    resultOf('sort', 'f32', 2 ** 20),
    ...DISTRIBUTIONS.slice(1).map((one) => resultOf('sort', 'u32', 2 ** 20, one)),
  ],
};

const fileOf = (of: BenchRecord, name: string): string =>
  pageOf(of, 'records/one.json').find((file) => file.name === name)?.text ?? '';

describe('the page', () => {
  const page = fileOf(record, 'gpu.md');

  it('says what it is about, and where the samples are', () => {
    expect(page).toContain('acme rocket, driver 7; Dawn in Node 20.0.0 on an OS.');
    expect(page).toContain('2026-01-02, [raw samples](records/one.json)');
    expect(page).toContain('Every result was verified');
    expect(page).toContain('## What this does not say\n\n- One GPU');
  });

  it('has a row a length, with the share of the reference where it has one', () => {
    expect(page).toContain('| 2¹⁶ | 62.5 µs | 1.05 |  | 62.5 µs | 1.05 |  | 62.5 µs | 1.05 |  |');
    expect(page).toContain('| 2²⁰ | 1.00 ms | 1.05 | 50 % | 1.00 ms | 1.05 | 25 % |  |  |  |');
  });

  it('has a row a distribution', () => {
    for (const distribution of DISTRIBUTIONS) expect(page).toContain(`| ${distribution} | 1.05 |`);
  });

  it('has the kernels that ran, at the greatest length that all kinds have', () => {
    expect(page).toContain('2¹⁶ 32-bit keys:');
    expect(page).toContain('| histogram | 1 | 15.6 µs | 15.6 µs | 100 % |');
    expect(page).toContain('| starts | 1 | 10.0 µs |  |  |');
    expect(page).toContain('| sweep | 3 | 31.3 µs | 93.8 µs | 300 % |');
    expect(page).not.toContain('| home |');
  });

  it('admits what was wrong, and that software is no GPU', () => {
    const results = [{ ...resultOf('sort', 'u32', 2 ** 16), verified: false }];
    const bad = fileOf({ ...record, gpu: { ...record.gpu, software: true }, results }, 'gpu.md');
    expect(bad).toContain('**1 of 1 results were wrong.**');
    expect(bad).not.toContain('Every result was verified');
    expect(bad).toContain('SOFTWARE');
  });

  it('does without a reference, other keys and kernels', () => {
    const results = [{ ...resultOf('sort', 'u32', 2 ** 16), kernels: [] }];
    const bare: BenchRecord = { ...record, results, reference: [], copyRate: undefined };
    expect(pageOf(bare, 'one.json').map(({ name }) => name)).toEqual(['gpu.md', 'gpu-lengths.svg']);
    const text = fileOf(bare, 'gpu.md');
    expect(text).toContain('| 2¹⁶ | 62.5 µs | 1.05 |\n');
    for (const word of ['CUB', '## Other keys', '## Kernel', '--reference']) {
      expect(text).not.toContain(word);
    }
  });
});

describe('its charts', () => {
  const countOf = (svg: string, pattern: RegExp): number => svg.match(pattern)?.length ?? 0;

  it('draw a line a program and kind, with a dot a length', () => {
    const svg = fileOf(record, 'gpu-lengths.svg');
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    for (const text of ['32-bit keys', '32-bit pairs', '64-bit keys', 'keysweep', 'CUB']) {
      expect(svg).toContain(`>${text}</text>`);
    }
    expect(countOf(svg, /<circle /g)).toBe(5 + 2);
  });

  it('draw a bar a distribution', () => {
    const svg = fileOf(record, 'gpu-distributions.svg');
    expect(svg).toContain('>2²⁰ 32-bit keys</text>');
    for (const distribution of DISTRIBUTIONS) expect(svg).toContain(`>${distribution}</text>`);
    expect(countOf(svg, /<rect /g)).toBe(DISTRIBUTIONS.length);
  });

  it('name no colour that a background could swallow', () => {
    for (const name of ['gpu-lengths.svg', 'gpu-distributions.svg']) {
      expect(fileOf(record, name)).not.toMatch(/(fill|stroke)="(black|white|#fff|#000)/);
    }
  });
});
