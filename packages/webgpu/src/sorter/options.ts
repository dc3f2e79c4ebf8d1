/** What callers of RadixSorter say. */

import type { KeyBits, Order } from '@keysweep/core';

/** Key types that a GPU buffer can hold. 64-bit keys are two 32-bit words, the low one first. */
export type GpuKeyType = 'u32' | 'i32' | 'f32' | 'u64' | 'i64' | 'f64';

/** Payload types: one 32-bit word, or two, whatever they mean. */
export type GpuValueType = 'u32' | 'u64';

/** What a sorter is made for. */
export interface RadixSorterOptions {
  readonly keyType: GpuKeyType;
  /** Absent: keys alone. */
  readonly valueType?: GpuValueType | undefined;
  /** Default 'ascending'. Ties keep their order in both. */
  readonly order?: Order | undefined;
  /** Most keys that one `encode` may sort: scratch is made for as many. */
  readonly maxCount: number;
  /** For 'u32' and 'u64': just these bits decide the order. */
  readonly keyBits?: KeyBits | undefined;
  /**
   * For 'f32': order by 24-bit codes of the values, in three passes at most. Keys closer to each other
   * than 2^-21 of the largest finite magnitude may be out of order.
   */
  readonly approximate?: boolean | undefined;
}

/** A number of keys that only the GPU knows: a u32 in a buffer with usage STORAGE. */
export interface GpuCount {
  readonly buffer: GPUBuffer;
  /** In bytes, a multiple of 4; default 0. */
  readonly offset?: number | undefined;
}

/** One sort to record. */
export interface RadixSortArguments {
  /** Usage STORAGE. Keys `offset` to `offset + count - 1` are sorted in place. */
  readonly keys: GPUBuffer;
  /** Usage STORAGE. The payload of every key, at the same index. */
  readonly values?: GPUBuffer | undefined;
  /**
   * Number of keys, at most `maxCount`. A larger number in a GpuCount is taken as `maxCount`; the buffers must have room for it.
   */
  readonly count: number | GpuCount;
  /** Index of the first key, and of its payload; default 0. */
  readonly offset?: number | undefined;
}
