/** The shared memory that the kernels work in, and the kernels linked to it. */

import { BackendFailedError } from '@keysweep/core';
import { type CpuKernels, wasmBytes } from '@keysweep/kernels/cpu';

const PAGE = 65536;

/** WebAssembly's limit on a memory, less a page so that no end address wraps around to 0. */
export const MAX_ARENA_BYTES: number = 65535 * PAGE;

/** The first address that data may have: 0 stands for "none". */
export const ARENA_START = 1024;

/** Rounds an address up to a cache line. */
export function align(address: number): number {
  return Math.ceil(address / 64) * 64;
}

let compiled: WebAssembly.Module | undefined;

/** The shortest module: nothing but its head. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/**
 * The kernels, compiled once; small enough to compile without a pause.
 * @throws where WebAssembly, its threads or SIMD are missing, or a policy forbids it.
 */
export function compileKernels(): WebAssembly.Module {
  if (compiled === undefined) {
    // Under such a policy WebKit compiles modules, and refuses to link them.
    new WebAssembly.Instance(new WebAssembly.Module(EMPTY_MODULE));
    compiled = new WebAssembly.Module(wasmBytes());
  }
  return compiled;
}

/** Links the kernels to a memory. */
export function linkKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): CpuKernels {
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  return instance.exports as unknown as CpuKernels;
}

/** A shared memory that grows; it is given back by dropping the arena. */
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
   * Makes sure of `bytes` bytes. Returns whether the memory has grown for them.
   * @throws BackendFailedError when the machine does not have them.
   */
  reserve(bytes: number): boolean {
    const missing = Math.ceil((bytes - this.bytes) / PAGE);
    if (missing <= 0) return false;
    try {
      if (bytes > MAX_ARENA_BYTES) throw new RangeError('no WebAssembly memory is so large');
      this.memory.grow(missing);
      return true;
    } catch (cause) {
      throw new BackendFailedError('cpu', `no memory for ${bytes} bytes`, { cause });
    }
  }
}
