/** What is done between two pauses is little whatever the keys, so that no page waits. */

import { verifyAll } from '@keysweep/conformance';
import {
  type BenchmarkDistribution,
  COMMON_KEY_TYPES,
  isThorough,
  makeKeys,
  Random,
  runSeed,
  sample,
} from '@keysweep/conformance/data';
import { makeRequest, type Variation } from '@keysweep/conformance/suite';
import type { Backend, KeyArray, SortRequest } from '@keysweep/core';
import { type CpuKernels, JOB } from '@keysweep/kernels/cpu';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Arena } from '../src/arena/arena.js';
import { planRecords } from '../src/arena/record-plan.js';
import { callingThreadSorter } from '../src/pool/calling-thread-sorters.js';
import type { LargeSorter } from '../src/pool/large-sorter.js';
import type { RunJob } from '../src/sort/arena-threads.js';
import { serve } from './early-commit-runs.js';

afterEach(() => vi.unstubAllGlobals());

/** What a slice may hold, and what a piece of buckets or segments may. */
const SLICE_BYTES = 2 ** 18;
const PIECE_BYTES = SLICE_BYTES + 2 ** 20;

/** Bytes of records that one call of a kernel was given, at most. */
interface Most {
  slice: number;
  piece: number;
  stride: number;
}

/** A large sorter whose kernels tell how much they are given. */
function watched(): { readonly sorter: LargeSorter; readonly most: Most } {
  const most: Most = { slice: 0, piece: 0, stride: 0 };
  const { Instance } = WebAssembly;
  function Watched(module: WebAssembly.Module, imports?: { env: { memory: WebAssembly.Memory } }) {
    // A module that only shows whether any may be linked.
    if (imports === undefined) return new Instance(module);
    const kernels = new Instance(module, imports).exports as unknown as CpuKernels;
    const { memory } = imports.env;
    const slice = (n: number): void => {
      most.slice = Math.max(most.slice, n * most.stride);
    };
    const piece = (n: number): void => {
      most.piece = Math.max(most.piece, n * most.stride);
    };
    const exports: CpuKernels = {
      ...kernels,
      survey(job, first, n, found) {
        // One key of the slice before is looked at, too.
        slice(n - Math.min(first, 1));
        kernels.survey(job, first, n, found);
      },
      pack(job, first, n) {
        slice(n);
        kernels.pack(job, first, n);
      },
      unpack(job, first, n) {
        slice(n);
        kernels.unpack(job, first, n);
      },
      count(job, first, n, counts) {
        slice(n);
        kernels.count(job, first, n, counts);
      },
      scatter(job, first, n, cursors) {
        slice(n);
        kernels.scatter(job, first, n, cursors);
      },
      buckets(job, first, last) {
        const sorted = kernels.buckets(job, first, last);
        piece(sorted);
        return sorted;
      },
      runs(job, first, last) {
        const words = new Uint32Array(memory.buffer);
        const bounds = (words[(job + JOB.bounds) / 4] as number) / 4;
        piece((words[bounds + last] as number) - (words[bounds + first] as number));
        kernels.runs(job, first, last);
      },
    };
    return { exports };
  }
  vi.stubGlobal('WebAssembly', {
    Module: WebAssembly.Module,
    Memory: WebAssembly.Memory,
    Instance: Watched,
  });
  return { sorter: callingThreadSorter(new Arena()), most };
}

const LENGTH = isThorough ? 4_000_000 : 700_001;

/** Segments of which the first hold nearly all keys, and most none. */
const skewedSegments = (length: number): Uint32Array =>
  Uint32Array.from({ length: 100_000 }, (_, i) => Math.min(length, i * 30_000));

const INPUTS = COMMON_KEY_TYPES.flatMap((keyType) =>
  (['random', 'few', 'zipf', 'reversed', 'segments'] as const).map((kind) => ({ keyType, kind })),
);

describe('the calling thread alone', () => {
  it.each(sample(INPUTS, 5))(
    'sorts $keyType keys ($kind) in slices of a quarter of a mebibyte',
    async ({ keyType, kind }) => {
      const random = new Random(runSeed());
      const distribution: BenchmarkDistribution = kind === 'segments' ? 'random' : kind;
      const keys: KeyArray = makeKeys(keyType, LENGTH, distribution, random);
      const variation: Variation = kind === 'segments' ? { segments: skewedSegments(LENGTH) } : {};
      const { sorter, most } = watched();
      const sort = (request: SortRequest) => {
        most.stride = planRecords(request.shape, keyType).stride;
        return sorter.sort(request);
      };
      const seed = `KEYSWEEP_SEED=${runSeed()}`;
      await verifyAll({ sort } as Backend, keys, [new Uint32Array(LENGTH)], variation);
      expect(most.slice, seed).toBeGreaterThan(0);
      expect(most.slice, seed).toBeLessThanOrEqual(SLICE_BYTES);
      expect(most.piece, seed).toBeLessThanOrEqual(PIECE_BYTES);
      await sorter.close();
    },
  );

  it('pauses between pieces', async () => {
    const { sorter, most } = watched();
    most.stride = 4;
    const keys = makeKeys('u32', LENGTH, 'random', new Random(runSeed()));
    let time = 0;
    // On a clock by which every piece is long, there is a pause after each.
    vi.spyOn(performance, 'now').mockImplementation(() => (time += 1000));
    let turns = 0;
    let isOver = false;
    const watch = (): void => {
      turns++;
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    await sorter.sort(makeRequest('sort', [keys]));
    isOver = true;
    vi.restoreAllMocks();
    const slices = Math.ceil((4 * LENGTH) / SLICE_BYTES);
    // In, survey, count, scatter, and out.
    expect(turns).toBeGreaterThan(5 * slices);
    await sorter.close();
  });
});

describe('keys that are staged', () => {
  it.each(['all', 'chosen'])('are one slice more whenever threads are told: %s', async (rows) => {
    const keys = new Uint32Array(200_003).fill(5);
    const words = new Int32Array(Math.ceil(keys.length / 32)).fill(0x1111_1111);
    const chosen = { rows: keys.length, words };
    const length = Math.ceil(keys.length / 4);
    const request = makeRequest('argsort', [keys]);
    const { shape } = request;
    const arena = new Arena();
    const ends: number[] = [];
    const run: RunJob = async ({ arena: { recordsAt }, keysAt }, stage) => {
      const at = rows === 'chosen' ? recordsAt : keysAt;
      const staged = new Uint32Array(arena.memory.buffer, at, keys.length).fill(0);
      await stage(() => void ends.push(staged.lastIndexOf(5) + 1));
      throw new Error('seen');
    };
    const some = { ...request, shape: { ...shape, length }, chosen };
    await expect(serve(rows === 'chosen' ? some : request, arena, run)).rejects.toThrow('seen');
    expect(ends.length).toBeGreaterThan(4);
    expect(ends.at(-1)).toBe(keys.length);
    // Bits that choose are words of 32.
    const most = Math.ceil(keys.length / ends.length) + 32;
    for (const [i, end] of ends.entries()) {
      expect(end - (ends[i - 1] ?? 0)).toBeGreaterThan(0);
      expect(end - (ends[i - 1] ?? 0)).toBeLessThanOrEqual(most);
    }
  });
});
