/** The answer of a run, and its way into a link and back. */

import type { Probe } from 'keysweep';
import { describe, expect, it } from 'vitest';
import { answerOf } from '../src/answer/answer.js';
import { gpuName } from '../src/device/facts.js';
import { resultsFrom } from '../src/results/checked.js';
import { fromResultHash, toResultHash } from '../src/results/link.js';
import type { Results } from '../src/results/record.js';
import type { Cell } from '../src/run/events.js';
import { DEFAULTS } from '../src/settings/settings.js';

const cell = (series: Cell['series'], length: number, sample: number): Cell => ({
  ...{ series, length, software: false, samples: [sample], calls: 1, clock: 'host', verified: 3 },
});

const GPU: Probe = {
  available: true,
  capabilities: { description: 'nvidia ampere RTX (WebGPU)', software: false, threads: 0 },
};
const NONE: Probe = { available: false, reason: 'this browser has no WebGPU' };

/** Times at 1,000, 10,000 and 100,000 keys. */
const resultsOf = (
  times: Partial<Record<Cell['series'], readonly number[]>>,
  webgpu: Probe,
  choices: Results['choices'] = [],
): Results => ({
  date: '2026-11-22T22:10:00.000Z',
  settings: DEFAULTS,
  facts: {
    browser: 'Chrome 147 on Windows',
    isolated: true,
    threads: 16,
    memory: undefined,
    tick: 0.1,
    probes: { webgpu },
    adapter: undefined,
  },
  cells: Object.entries(times).flatMap(([series, list]) =>
    list.map((time, i) => cell(series as Cell['series'], 1000 * 10 ** i, time)),
  ),
  choices,
  whole: true,
});

const BUILTIN = [1, 10, 100];

describe('answerOf', () => {
  it('says the most, and from how many keys on, without a GPU', () => {
    const answer = answerOf(resultsOf({ builtin: BUILTIN, cpu: [10, 1, 5] }, NONE));
    expect(answer?.headline).toBe(
      'On this machine, without a GPU: 20 times as fast as the built-in sort at 100,000 keys, ' +
        'and faster from about 3,200 keys on.',
    );
    expect(answer?.gpu).toMatch(/gives this page no GPU/);
    expect(answer?.bars).toEqual([
      { name: 'Built-in sort', milliseconds: 100 },
      { name: 'keysweep (CPU)', milliseconds: 5 },
    ]);
  });

  it('says at which length the GPU begins to beat the CPU, array to array', () => {
    const times = { builtin: BUILTIN, cpu: [0.5, 1, 10], webgpu: [5, 2, 5], resident: [0.1, 1, 1] };
    const answer = answerOf(resultsOf(times, GPU));
    expect(answer?.headline).toBe(
      'On this machine: 20 times as fast as the built-in sort at 100,000 keys, ' +
        'and faster from 1,000 keys on.',
    );
    // Half the CPU's rate at 10,000 keys, twice at 100,000.
    expect(answer?.gpu).toBe(
      'The GPU (nvidia ampere RTX) beats the CPU from about 32,000 keys on.',
    );
  });

  it('says that a GPU does not pay, and that nothing does', () => {
    const slow = { builtin: BUILTIN, cpu: [2, 20, 200], webgpu: [9, 90, 900] };
    const answer = answerOf(resultsOf(slow, GPU));
    expect(answer?.headline).toMatch(/^On this machine: no faster than the built-in sort/);
    expect(answer?.gpu).toMatch(/does not beat the CPU: /);
  });

  it('takes what sort chooses, though another backend was faster', () => {
    const choices = [1000, 10_000, 100_000].map((length) => {
      return { length, backend: 'cpu' as const, reason: '', profile: '' };
    });
    const times = { builtin: BUILTIN, cpu: [0.5, 5, 50], webgpu: [0.1, 1, 10] };
    const answer = answerOf(resultsOf(times, GPU, choices), 'that machine');
    expect(answer?.headline).toBe(
      'On that machine: twice as fast as the built-in sort at 100,000 keys, ' +
        'and faster from 1,000 keys on.',
    );
  });

  it('counts from where sort leaves the built-in, even if it might do so sooner', () => {
    const choices = (['builtin', 'cpu', 'cpu'] as const).map((backend, i) => {
      return { length: 1000 * 10 ** i, backend, reason: '', profile: '' };
    });
    const answer = answerOf(resultsOf({ builtin: BUILTIN, cpu: [0.5, 5, 50] }, NONE, choices));
    expect(answer?.headline).toMatch(
      /twice as fast as the built-in sort at 100,000 keys, and faster from 10,000 keys on/,
    );
    // Where it would be slower, the number lies between.
    const slower = answerOf(resultsOf({ builtin: BUILTIN, cpu: [2, 5, 50] }, NONE, choices));
    expect(slower?.headline).toMatch(/from about 3,200 keys on/);
  });

  it('says of a column what sort itself made of it, and nothing of other lengths', () => {
    const times = { builtin: [100], cpu: [20], auto: [25] };
    const drawn = resultsOf(times, NONE);
    const results: Results = {
      ...drawn,
      settings: { ...drawn.settings, distribution: 'column' },
      cells: drawn.cells.map((one) => (one.series === 'auto' ? { ...one, backend: 'cpu' } : one)),
    };
    const answer = answerOf(results);
    expect(answer?.headline).toBe(
      'On this machine, without a GPU: 4 times as fast as the built-in sort ' +
        'at 1,000 keys of a file.',
    );
    expect(answer?.bars[1]).toEqual({ name: 'keysweep (CPU)', milliseconds: 25 });
  });

  it('has no answer if nothing was compared, or by software alone', () => {
    expect(answerOf(resultsOf({ builtin: BUILTIN }, NONE))).toBeUndefined();
    const soft = resultsOf({ builtin: BUILTIN, webgpu: [1, 1, 1] }, NONE);
    const cells = soft.cells.map((one) => ({ ...one, software: one.series === 'webgpu' }));
    expect(answerOf({ ...soft, cells })).toBeUndefined();
  });
});

it('names GPUs without what only drivers say', () => {
  const names = [
    'nvidia ampere (WebGPU)',
    'ANGLE (NVIDIA, NVIDIA GeForce RTX 3080 (0x2206) Direct3D11 vs_5_0 ps_5_0, D3D11) ' +
      '(WebGL2), up to 16777216 keys',
    'ANGLE (Apple, ANGLE Metal Renderer: Apple M2, Unspecified Version) (WebGL2), up to 9 keys',
    'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader ' +
      'driver) (WebGL2), up to 16777216 keys',
    'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6) (WebGL2), up to 9 keys',
    'Adreno (TM) 740 (WebGL2), up to 16777216 keys',
  ].map(gpuName);
  expect(names).toEqual([
    'nvidia ampere',
    'NVIDIA GeForce RTX 3080',
    'Apple M2',
    'SwiftShader Device',
    'Mesa Intel(R) UHD Graphics 620',
    'Adreno (TM) 740',
  ]);
});

describe('a link that carries a result', () => {
  const results = resultsOf({ builtin: BUILTIN, cpu: [10, 1.23456, 5] }, NONE);

  it('gives the same answer elsewhere, and needs no escape', async () => {
    const hash = await toResultHash(results);
    expect(hash).toMatch(/^#result=[\w-]+$/);
    expect(hash.length).toBeLessThan(1500);
    const again = await fromResultHash(hash);
    expect(answerOf(again as Results)).toEqual(answerOf(results));
    expect(again?.cells[4]?.samples).toEqual([1.235]);
    expect(again?.settings).toEqual(DEFAULTS);
  });

  it('is refused where it is damaged, or holds something else', async () => {
    const hash = await toResultHash(results);
    expect(await fromResultHash(hash.slice(0, -9))).toBeUndefined();
    expect(await fromResultHash('#result=')).toBeUndefined();
    expect(await fromResultHash('#result=%20')).toBeUndefined();
    expect(await fromResultHash('#keyType=u32')).toBeUndefined();
    for (const wrong of [
      null,
      {},
      { ...results, date: 'yesterday' },
      { ...results, cells: [{ ...results.cells[0], samples: ['1'] }] },
      { ...results, cells: [{ ...results.cells[0], series: 'constructor' }] },
      { ...results, cells: [{ ...results.cells[0], samples: [0] }] },
      { ...results, facts: { ...results.facts, browser: 'x'.repeat(3000) } },
      { ...results, facts: { ...results.facts, probes: { webgpu: { available: true } } } },
      { ...results, choices: [{ length: 1 }] },
    ]) {
      expect(resultsFrom(wrong)).toBeUndefined();
    }
    expect(resultsFrom(JSON.parse(JSON.stringify(results)))).toBeDefined();
  });
});
