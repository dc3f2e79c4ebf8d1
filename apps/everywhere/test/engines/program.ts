/** Everything that is checked in an engine: bundled into one script for pages and workers. */

import { Random, sample } from '@keysweep/conformance/data';
import {
  GPU_CHECKS,
  GPU_FIRST_CHECKS,
  GPU_SEGMENT_CHECKS,
  PORTABLE_SCRATCH,
} from '@keysweep/conformance/gpu';
import {
  type BackendUnderTest,
  runCheck,
  type SorterLike,
  sorterAsBackend,
  testBackend,
} from '@keysweep/conformance/suite';
import { findNanFaults } from '../../../../packages/keysweep/test/engines/nan-faults.mjs';
import { SYNC_CHECKS, syncBackend } from '../../../../packages/keysweep/test/sync/sync-checks.js';
import type { Found, Part, PartResult, Task } from './found.js';

/** Of watch-imports.js: ends the watch, and returns what has been started. */
declare const endWatch: () => readonly string[];

type Counts = Omit<PartResult, 'part' | 'milliseconds'>;

/** The suite for a backend. Where the engine has none, the reason is what was skipped. */
async function suite(subject: BackendUnderTest): Promise<Counts> {
  const { passed, failed, skipped } = await testBackend({ timeout: 120_000, ...subject });
  return {
    passed: passed.length,
    failed: failed.map(({ name, error }) => `${name}: ${error.message}`),
    skipped: skipped.map(({ name, reason }) => `${name}: ${reason}`),
  };
}

const skipped = (reason: string): Counts => ({ passed: 0, failed: [], skipped: [reason] });

/** A sorter that chooses its backends itself, whatever it is asked for. */
async function chooser(): Promise<SorterLike> {
  const { createSorter } = await import('keysweep');
  const sorter = await createSorter({ onWarning() {} });
  const own = { backend: 'auto' } as const;
  return {
    sort: (keys, options) => sorter.sort(keys, { ...options, ...own }),
    sortPairs: (keys, values, options) => sorter.sortPairs(keys, values, { ...options, ...own }),
    argsort: (columns, options) => sorter.argsort(columns, { ...options, ...own }),
    capabilities: () => sorter.capabilities(),
    warmUp: (maxLength) => sorter.warmUp(maxLength),
    release: () => sorter.release(),
    close: () => sorter.close(),
  };
}

/** Lengths at which the CPU's backend changes its ways in pages. */
const LENGTHS = [2 ** 17 - 1, 2 ** 17];

/** The package of WebGPU for Node, by a variable: a page's bundle is made without it. */
const DAWN = 'webgpu';

/** The engine's WebGPU. Node has it by a package, whose globals the checks need. */
async function findGpu(): Promise<GPU | undefined> {
  if (globalThis.navigator?.gpu) return navigator.gpu;
  try {
    const { create, globals } = (await import(DAWN)) as typeof import('webgpu');
    // A process whose last reference to Dawn's entry point is collected crashes.
    const gpu = create([]);
    Object.assign(globalThis, globals, { [Symbol.for('checks: dawn')]: gpu });
    return gpu;
  } catch {
    return undefined;
  }
}

/** Memory that sorts take beside the records by chained scans, which need subgroups. */
const SCRATCH_CHAINED = { share: 1.4, bytes: 160 * 1024 };

/** Of segments the checks of one type of records each: a software GPU compiles each for long. */
function gpuChecks(seed: number): readonly (typeof GPU_CHECKS)[number][] {
  const ofSegments = [GPU_SEGMENT_CHECKS, GPU_FIRST_CHECKS].flatMap((checks) => {
    const byType = checks.filter(({ name }) => name.includes(' keys, '));
    const others = checks.filter((check) => !byType.includes(check));
    return [...others, ...sample(byType, 1, seed)];
  });
  return [...GPU_CHECKS, ...ofSegments];
}

/** Checks of a sorter of GPU buffers, on a device with what the sort can use of this adapter. */
async function checkRadixSorter(seed: number): Promise<Counts> {
  const adapter = await (await findGpu())?.requestAdapter();
  if (!adapter) return skipped('no WebGPU');
  const { RadixSorter } = await import('@keysweep/webgpu');
  const device = await adapter.requestDevice(RadixSorter.deviceDescriptor(adapter));
  const subject = {
    device,
    create: RadixSorter.create,
    tile: { 4: 3328, 8: 2304 },
    scratch: device.features.has('subgroups') ? SCRATCH_CHAINED : PORTABLE_SCRATCH,
    maxLength: 110_000,
    thorough: false,
  };
  const failed: string[] = [];
  const checks = gpuChecks(seed);
  for (const [i, check] of checks.entries()) {
    try {
      await runCheck(check, { ...subject, random: new Random(seed + i) }, seed);
    } catch (error) {
      failed.push(`${check.name}: ${(error as Error).message}`);
    }
  }
  device.destroy();
  return { passed: checks.length - failed.length, failed, skipped: [] };
}

/** The packages find gpu.js by its name, which a script in one file does not have. */
const LOAD_GPU_JS = () => import('gpu.js');

/** The suite by a backend for GPUs, software ones included. */
async function gpuSuite(name: 'webgpu' | 'webgl2'): Promise<Counts> {
  const { webgpu } = await import('@keysweep/webgpu');
  const { webgl2 } = await import('@keysweep/webgl2');
  const create = () => (name === 'webgpu' ? webgpu() : webgl2({ load: LOAD_GPU_JS }));
  const first = create();
  const probe = await first.probe();
  await first.close();
  if (!probe.available) return skipped(probe.reason);
  return suite({ name, create, slow: true });
}

async function check(part: Part, { seed }: Task): Promise<Counts> {
  const { cpu } = await import('@keysweep/cpu');
  switch (part) {
    case 'NaN bits': {
      const { cases, wrong, faults } = await findNanFaults(seed);
      return { passed: cases - wrong, failed: faults, skipped: [] };
    }
    case 'auto':
      return suite({ name: part, create: () => sorterAsBackend('builtin', chooser) });
    case 'cpu':
      return suite({ name: part, create: () => cpu(), lengths: LENGTHS });
    case 'sync':
      return suite({ name: part, create: syncBackend, checks: SYNC_CHECKS });
    case 'RadixSorter':
      return checkRadixSorter(seed);
    default:
      return gpuSuite(part);
  }
}

/** What serves a million keys here once threads had time to start: the CPU's backend if it can. */
async function serve(): Promise<Pick<Found, 'served' | 'warnings' | 'backends'>> {
  const { createSorter } = await import('keysweep');
  const warnings: string[] = [];
  const sorter = await createSorter({ onWarning: ({ code }) => warnings.push(code) });
  const capabilities = await sorter.capabilities();
  // Left to choose, a sorter may find the engine's own sort quicker.
  const backend = capabilities.cpu?.available ? 'cpu' : 'auto';
  const served = { backend: '', threads: 0 };
  for (let i = 0; i < 3; i++) {
    if (i === 2) await new Promise((resolve) => setTimeout(resolve, 500));
    const keys = Float64Array.from({ length: 1_000_000 }, Math.random);
    await sorter.sort(keys, {
      backend,
      onReport({ backend, threads }) {
        Object.assign(served, { backend, threads });
      },
    });
  }
  await sorter.close();
  const { webgl2 } = await import('@keysweep/webgl2');
  const withGpuJs = webgl2({ load: LOAD_GPU_JS });
  const probes = { ...capabilities, webgl2: await withGpuJs.probe() };
  await withGpuJs.close();
  const backends = Object.entries(probes).map(([name, probe]) => {
    const text = probe.available ? probe.capabilities.description : probe.reason;
    return [name, { works: probe.available, text }];
  });
  return { served, warnings, backends: Object.fromEntries(backends) };
}

/** What importing every entry starts: nothing is expected. */
async function checkImports(): Promise<PartResult> {
  for (const load of [
    () => import('keysweep'),
    () => import('keysweep/sync'),
    () => import('@keysweep/cpu'),
    () => import('@keysweep/webgpu'),
    () => import('@keysweep/webgl2'),
  ]) {
    await load();
  }
  const failed = endWatch().map((name) => `an import calls ${name}`);
  return {
    part: 'imports',
    passed: failed.length === 0 ? 1 : 0,
    failed,
    skipped: [],
    milliseconds: 0,
  };
}

export async function runTask(task: Task): Promise<Found> {
  const results: PartResult[] = [await checkImports()];
  for (const part of task.parts) {
    const start = performance.now();
    const counts = await check(part, task).catch((error) => ({
      passed: 0,
      failed: [`${part}: ${error?.stack ?? error}`],
      skipped: [],
    }));
    const milliseconds = Math.round(performance.now() - start);
    results.push({ part, ...counts, milliseconds });
  }
  const { userAgent = '' } = globalThis.navigator ?? {};
  const isolated = globalThis.crossOriginIsolated === true;
  const hasSharedMemory = typeof SharedArrayBuffer !== 'undefined';
  return { userAgent, isolated, hasSharedMemory, ...(await serve()), results };
}
