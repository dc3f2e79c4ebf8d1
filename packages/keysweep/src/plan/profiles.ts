/**
 * What backends cost on a few kinds of machine, for those that were not measured. `calibrate()`
 * corrects these figures; where it could not measure, they are what is left.
 */

import type { BackendName, Probe } from '@keysweep/core';
import type { Machine } from '../machine/machine.js';
import type { Costs } from './cost.js';

/**
 * V8's sort is std::sort; the rest is a merge sort of indices by a comparator. 2 cores of a Zen 5,
 * Node 20: apps/bench/records/epyc-zen5-2-cores/2026-11-21-cpu.json. An H200's host and Chromium on
 * it are within a third of that.
 */
const V8: Costs = {
  of: 'V8, as measured on a Zen 5',
  backend: 'builtin',
  start: 0,
  fixed: 0.003,
  keys: [20, 26, 37, 45, 51, 58, 72],
  rows: [150, 190, 260, 300, 360, 420, 480],
  keyWeights: [0.6, 0.95, 1.05, 1.85],
  rowWeights: [1, 1, 1.1, 1],
  transfer: 0,
};

/**
 * A radix sort of integers below 64 MB, another for floats: Firefox 153 on a Zen 5, three
 * lengths of u32 and a range for floats.
 */
const SPIDER_MONKEY: Costs = {
  ...V8,
  of: 'Firefox, as measured on a Zen 5',
  keys: [8, 5, 3.6, 3.6, 5, 7, 12],
  keyWeights: [1, 1, 1, 20],
};

/**
 * Two threads, the caller's one of them: from 2^18 keys on when it was measured, from 2^19
 * since. 2 cores of a Zen 5, Node 20: the record above, but keys of a byte, which are counted
 * by now (a quarter of the time of 32 bits, 2^17 to 2^23 keys, on the same machine). `start` is
 * code and kernels; threads come up while it sorts. `fixed` is that of a call now and then, on
 * a slower machine (a Zen 4 at 2.7 GHz): called again and again it is a quarter of that, but
 * nobody shall be worse off than with the runtime's own sort.
 */
const CPU_NODE: Costs = {
  of: 'threads in Node.js, as measured on 2 cores',
  backend: 'cpu',
  start: 20,
  fixed: 0.08,
  keys: [15, 6, 4.3, 3.6, 3.8, 3.5, 4],
  rows: [50, 7, 5.5, 5.5, 5, 5, 6],
  keyWeights: [0.23, 0.75, 1.75, 1.35],
  rowWeights: [0.9, 0.9, 1.8, 1.5],
  transfer: 0,
};

/**
 * The same kernels; messages to workers, from 2^17 keys on, take two or three milliseconds on
 * an H200's host. The rest is a guess from those of Node.
 */
const CPU_ISOLATED: Costs = {
  ...CPU_NODE,
  of: "an isolated page's workers, in part a guess",
  start: 60,
  keys: [15, 6, 4.3, 9, 5, 4, 5],
  rows: [50, 7, 5.5, 10, 6, 6, 7],
};

/**
 * One worker that arrays are sent to; 10^7 keys take 50 ms on a Zen 5 (ARCHITECTURE.md), the
 * rest is a guess from that.
 */
const CPU_NOT_ISOLATED: Costs = {
  ...CPU_ISOLATED,
  of: "a page's one worker, a guess",
  keys: [15, 6, 4.3, 9, 7, 7, 9],
  rows: [50, 7, 5.5, 12, 10, 10, 12],
};

/**
 * NVIDIA H200 through Dawn, as `npm run bench -- regret` has measured it, 2^7 to 2^26 keys
 * (apps/bench/records/h200-16-cores): what more than one workgroup sorts takes 3 ms at least.
 * 0.14 ns a byte is upload and readback of 2^24 keys; keys of a byte are widened on the way.
 * `start` is a guess.
 */
const GPU_DAWN: Costs = {
  of: 'a discrete GPU, as measured on an NVIDIA H200 through Dawn',
  backend: 'webgpu',
  start: 250,
  fixed: 0.4,
  keys: [0.5, 0.5, 200, 27, 5, 1, 0.6],
  rows: [0.5, 0.5, 200, 27, 4, 1.3, 1.3],
  keyWeights: [12, 6, 2, 1],
  rowWeights: [6, 5, 2, 1],
  transfer: 0.14,
};

/**
 * The same GPU in Chromium, which copies everything once more: 111 ms for 2^26 keys
 * (ARCHITECTURE.md). `start` is a guess.
 */
const GPU_CHROMIUM: Costs = {
  ...GPU_DAWN,
  of: 'a discrete GPU, as measured on an NVIDIA H200 in Chromium',
  start: 400,
  fixed: 1.2,
  keyWeights: [8, 6, 2, 1],
  transfer: 0.18,
};

/**
 * Nobody has measured one: a tenth of the H200's kernels or less, and memory that it shares
 * with the CPU.
 */
const GPU_INTEGRATED: Costs = {
  ...GPU_CHROMIUM,
  of: 'an integrated GPU, a guess',
  keys: [4, 4, 200, 27, 6, 3, 3],
  rows: [6, 6, 200, 27, 8, 5, 5],
  transfer: 0.15,
};

/**
 * SwiftShader on 2 cores in Chromium, up to 3e4 keys, as `npm run bench -- regret --page` has
 * measured it on a machine that was busy.
 */
const GPU_SOFTWARE: Costs = {
  ...GPU_DAWN,
  of: 'a software adapter, as roughly measured on SwiftShader on 2 cores',
  fixed: 6,
  keys: [1500, 1500, 1500, 1500, 1500, 1500, 1500],
  rows: [5000, 5000, 5000, 5000, 5000, 5000, 5000],
  keyWeights: [1, 1, 2.5, 1],
  rowWeights: [1, 1, 2.5, 1],
};

/**
 * A bitonic network on an H200 in Chromium: 7, 16, 59 and 473 ms for 2^18 to 2^24 keys, by
 * twos; pairs are a guess from those.
 */
const WEBGL2: Costs = {
  of: 'WebGL2 on a discrete GPU, as measured on an NVIDIA H200 in Chromium',
  backend: 'webgl2',
  start: 300,
  fixed: 4.5,
  keys: [30, 15, 10, 10, 11, 20, 40],
  rows: [60, 30, 20, 20, 22, 40, 80],
  keyWeights: [1, 1, 4, 1],
  rowWeights: [1, 1, 2, 1],
  transfer: 0,
};

/** The same machine, up to 3e4 keys; longer ones are a guess from those. */
const WEBGL2_SOFTWARE: Costs = {
  ...WEBGL2,
  of: 'WebGL2 in software, as roughly measured on SwiftShader on 2 cores',
  keys: [2000, 2000, 2000, 2500, 3000, 4000, 5000],
  rows: [4000, 4000, 4000, 5000, 6000, 8000, 10000],
};

/** Names of GPUs that are part of a CPU. */
const INTEGRATED = /intel|apple|qualcomm|adreno|mali|\barm\b|iris|uhd/i;

/**
 * The figures for a backend. Before it has been probed they are what it could be at best:
 * whether it is worth a look is decided by them.
 */
export function builtInCosts(
  backend: BackendName,
  machine: Machine,
  probe: Probe | undefined,
): Costs {
  const found = probe?.available ? probe.capabilities : undefined;
  switch (backend) {
    case 'builtin':
      return machine.runtime.startsWith('Firefox') ? SPIDER_MONKEY : V8;
    case 'cpu':
      if (!machine.sharesMemory) return CPU_NOT_ISOLATED;
      return ofThreads(machine.isNode ? CPU_NODE : CPU_ISOLATED, found?.threads ?? machine.cores);
    case 'webgpu':
      if (found?.software) return GPU_SOFTWARE;
      if (found && INTEGRATED.test(found.description)) return GPU_INTEGRATED;
      return machine.isNode ? GPU_DAWN : GPU_CHROMIUM;
    case 'webgl2':
      return found?.software ? WEBGL2_SOFTWARE : WEBGL2;
  }
}

/**
 * From 2^20 keys on more threads take less time, but not much: one thread copies in and out,
 * and 16 on an H200's host take 0.8 of the time of two on a Zen 5.
 */
function ofThreads(costs: Costs, threads: number): Costs {
  const share = (2 / threads) ** 0.1;
  const scaled = (perKey: readonly number[]): readonly number[] =>
    perKey.map((cost, i) => (i < 4 ? cost : cost * share));
  return { ...costs, keys: scaled(costs.keys), rows: scaled(costs.rows) };
}
