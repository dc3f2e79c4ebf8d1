/**
 * Chooses the built-in figures for a machine. `calibrate()` corrects them at the lengths that it
 * measures.
 */

import type { BackendName, Probe } from '@keysweep/core';
import type { Machine } from '../machine/machine.js';
import type { Costs } from './cost.js';
import {
  COMPARED_INTERPRETED,
  CPU_ALONE,
  CPU_BUN,
  CPU_FIREFOX,
  CPU_FIREFOX_NOT_ISOLATED,
  CPU_INTERPRETED,
  CPU_ISOLATED,
  CPU_NODE,
  CPU_NOT_ISOLATED,
  CPU_PLAIN,
  GPU_CHROMIUM,
  GPU_DAWN,
  GPU_INTEGRATED,
  GPU_SOFTWARE,
  IN_WEBKIT,
  JAVA_SCRIPT_CORE,
  ROWS_INTERPRETED,
  SPIDER_MONKEY,
  V8,
  V8_IN_CHROMIUM,
  WEBGL2,
  WEBGL2_SOFTWARE,
} from './cost-tables.js';

function builtInSort(machine: Machine): Costs {
  const costs = builtInSortOf(machine);
  if (machine.kernels !== 'interpreted') return costs;
  return { ...costs, rows: ROWS_INTERPRETED, compared: COMPARED_INTERPRETED };
}

/** JavaScriptCore without a radix sort takes as long as V8: Bun 1.3.5 and 1.4.0 on a Xeon. */
function builtInSortOf({ engine, hasRadixSort, isNode }: Machine): Costs {
  if (!hasRadixSort) return engine === 'V8' && !isNode ? V8_IN_CHROMIUM : V8;
  return engine === 'SpiderMonkey' ? SPIDER_MONKEY : JAVA_SCRIPT_CORE;
}

function threadsOf({ isNode, engine, sharesMemory }: Machine): Costs {
  if (isNode && sharesMemory) return engine === 'JavaScriptCore' ? CPU_BUN : CPU_NODE;
  if (engine === 'SpiderMonkey') return sharesMemory ? CPU_FIREFOX : CPU_FIREFOX_NOT_ISOLATED;
  const costs = sharesMemory ? CPU_ISOLATED : CPU_NOT_ISOLATED;
  return engine === 'JavaScriptCore' ? { ...costs, ...IN_WEBKIT } : costs;
}

/** Names of GPUs that are part of a CPU. */
const INTEGRATED = /intel|apple|qualcomm|adreno|mali|\barm\b|iris|uhd/i;

/**
 * The figures of a backend. Before its probe they are the best that it could have: whether a
 * probe is worth it is decided by them.
 */
export function builtInCosts(
  backend: BackendName,
  machine: Machine,
  probe: Probe | undefined,
): Costs {
  const found = probe?.available ? probe.capabilities : undefined;
  switch (backend) {
    case 'builtin':
      return builtInSort(machine);
    case 'cpu':
      if (machine.kernels === 'interpreted') return CPU_INTERPRETED;
      if (machine.kernels === 'plain' || found?.kernels === 'plain') return CPU_PLAIN;
      if (found?.threads === 1 && machine.sharesMemory) return CPU_ALONE;
      if (!machine.sharesMemory) return threadsOf(machine);
      return ofThreads(threadsOf(machine), found?.threads ?? machine.cores);
    case 'webgpu':
      if (found?.software) return GPU_SOFTWARE;
      if (found && INTEGRATED.test(found.description)) return GPU_INTEGRATED;
      return machine.isNode ? GPU_DAWN : GPU_CHROMIUM;
    case 'webgl2':
      return found?.software ? WEBGL2_SOFTWARE : WEBGL2;
  }
}

/**
 * From 2^20 keys on more threads take less time, but not much, for one thread copies in and out.
 * 16 threads on an H200's host take 0.8 of the time of two on a Zen 5.
 */
function ofThreads(costs: Costs, threads: number): Costs {
  const share = (2 / threads) ** 0.1;
  const scaled = (perKey: readonly number[]): readonly number[] =>
    perKey.map((cost, i) => (i < 4 ? cost : cost * share));
  const types = Object.entries(costs.types ?? {}).map(([name, perKey]) => [name, scaled(perKey)]);
  return {
    ...costs,
    keys: scaled(costs.keys),
    rows: scaled(costs.rows),
    types: Object.fromEntries(types),
  };
}
