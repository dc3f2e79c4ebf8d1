/** Collects facts about this machine and browser, in the worker that measures. */

import type { Sorter } from 'keysweep';
import { browserName } from './browser-name.js';
import type { AdapterFacts, Facts } from './facts.js';

export async function gatherFacts(sorter: Sorter): Promise<Facts> {
  const probes = await sorter.capabilities();
  const { userAgent, hardwareConcurrency } = navigator;
  return {
    browser: browserName(userAgent),
    isolated: globalThis.crossOriginIsolated === true,
    threads: hardwareConcurrency,
    memory: (navigator as { deviceMemory?: number }).deviceMemory,
    tick: tickOf(),
    probes,
    adapter: probes.webgpu?.available ? await adapterFacts() : undefined,
  };
}

/** The limits that decide what a sort can do. */
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
] as const;

async function adapterFacts(): Promise<AdapterFacts | undefined> {
  const adapter = await navigator.gpu
    .requestAdapter({ powerPreference: 'high-performance' })
    .catch(() => null);
  if (adapter === null) return undefined;
  const { subgroupMinSize, subgroupMaxSize } = adapter.info;
  return {
    features: [...adapter.features].sort(),
    limits: Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]])),
    subgroups: adapter.features.has('subgroups')
      ? [...new Set([subgroupMinSize, subgroupMaxSize])].join(' to ')
      : undefined,
  };
}

/** The smallest observed step of the clock, in milliseconds. */
function tickOf(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 20; i++) {
    const start = performance.now();
    let now = start;
    while (now === start) now = performance.now();
    least = Math.min(least, now - start);
  }
  return least;
}
