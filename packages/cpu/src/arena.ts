/**
 * The shared memory that the kernels work in, and where things lie in it:
 *
 *   0        reserved, so that address 0 is never data
 *   CONTROL  words that the threads of a job meet over
 *   SCRATCH  for each thread: an order block, a survey, counts and cursors of a partition, counters
 *   …        whatever a job reserves: bounds of runs, records, and as much again for the passes
 */

import { BackendFailedError } from '@keysweep/core';
import { CPU_WASM, type CpuKernels, RUN_COUNTER_BYTES } from '@keysweep/kernels/cpu';

export const CONTROL = 1024;
const SCRATCH = 4096;

/** Bits of the digit that a partition splits by: 2^8 buckets. */
export const PARTITION_BITS = 8;
const PARTITION_COUNTER_BYTES = 4 << PARTITION_BITS;

/** Addresses within one thread's scratch. */
export interface Scratch {
  readonly order: number;
  readonly runOrder: number;
  readonly survey: number;
  /** Counts of the partition's digit; read by the other threads. */
  readonly counts: number;
  /** This thread's write positions for it. */
  readonly cursors: number;
  readonly counters: number;
}

const SCRATCH_HEADER = 256;
const SCRATCH_BYTES = SCRATCH_HEADER + 2 * PARTITION_COUNTER_BYTES + RUN_COUNTER_BYTES;

export function scratchOf(thread: number): Scratch {
  const base = SCRATCH + thread * SCRATCH_BYTES;
  const counts = base + SCRATCH_HEADER;
  return {
    order: base,
    runOrder: base + 64,
    survey: base + 128,
    counts,
    cursors: counts + PARTITION_COUNTER_BYTES,
    counters: counts + 2 * PARTITION_COUNTER_BYTES,
  };
}

/** The first address free for a job's data when `threads` take part. */
export function dataStart(threads: number): number {
  return align(SCRATCH + threads * SCRATCH_BYTES);
}

/** Rounds an address up to a cache line. */
export function align(address: number): number {
  return Math.ceil(address / 64) * 64;
}

const PAGE = 65536;

/** WebAssembly's limit on a memory, less a page so that no end address wraps around to 0. */
export const MAX_ARENA_BYTES: number = 65535 * PAGE;

let compiled: WebAssembly.Module | undefined;

/**
 * The kernels, compiled once. Synchronous where the engine allows it: they are small.
 * @throws where WebAssembly, its threads or SIMD are missing.
 */
export function compileKernels(): WebAssembly.Module {
  if (compiled === undefined) {
    const bytes = Uint8Array.from(atob(CPU_WASM), (c) => c.charCodeAt(0));
    compiled = new WebAssembly.Module(bytes);
  }
  return compiled;
}

/** Links the kernels to a memory. */
export function linkKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): CpuKernels {
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  return instance.exports as unknown as CpuKernels;
}

/** A growing shared memory. It only grows; it is given back by dropping the arena. */
export class Arena {
  readonly memory: WebAssembly.Memory = new WebAssembly.Memory({
    initial: 1,
    maximum: MAX_ARENA_BYTES / PAGE + 1,
    shared: true,
  });

  /** Bytes held. */
  get bytes(): number {
    return this.memory.buffer.byteLength;
  }

  /**
   * Makes sure of `bytes` bytes.
   * @throws BackendFailedError when the machine does not have them.
   */
  reserve(bytes: number): void {
    const missing = Math.ceil((bytes - this.bytes) / PAGE);
    if (missing <= 0) return;
    try {
      this.memory.grow(missing);
    } catch (cause) {
      throw new BackendFailedError('cpu', `no memory for ${bytes} bytes`, { cause });
    }
  }
}

