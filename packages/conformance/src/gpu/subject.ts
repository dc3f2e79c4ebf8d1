/** The subject of the checks: anything that sorts GPU buffers as RadixSorter's docs say. */

import type { KeyBits, Order } from '@keysweep/core';
import type { Random } from '@keysweep/core/random';

export type GpuKeyType = 'u32' | 'i32' | 'f32' | 'u64' | 'i64' | 'f64';
/** 'index': words that the sorter writes. */
export type GpuValueType = 'u32' | 'u64' | 'index';

export const GPU_KEY_TYPES: readonly GpuKeyType[] = ['u32', 'i32', 'f32', 'u64', 'i64', 'f64'];
/** Those that callers fill, and none. */
export const GPU_VALUE_TYPES: readonly (GpuValueType | undefined)[] = [undefined, 'u32', 'u64'];

/** Keys, and values or none. */
export interface RecordType {
  readonly keyType: GpuKeyType;
  readonly valueType?: GpuValueType | undefined;
}

export interface GpuSorterOptions extends RecordType {
  readonly order?: Order | undefined;
  readonly maxCount: number;
  readonly maxSegments?: number | undefined;
  readonly keyBits?: KeyBits | undefined;
  readonly approximate?: boolean | undefined;
}

export interface GpuSortArguments {
  readonly keys: GPUBuffer;
  readonly values?: GPUBuffer | undefined;
  readonly count: number | { readonly buffer: GPUBuffer; readonly offset?: number | undefined };
  readonly offset?: number | undefined;
}

/** A sort of segments: `count` + 1 places in `keys` from byte `offset` of `buffer` on. */
export interface GpuSegmentArguments {
  readonly keys: GPUBuffer;
  readonly values?: GPUBuffer | undefined;
  readonly segments: {
    readonly buffer: GPUBuffer;
    readonly offset?: number | undefined;
    readonly count: GpuSortArguments['count'];
    /** How many keys of each segment are wanted; absent: all. */
    readonly first?: number | undefined;
  };
}

export interface GpuSorter {
  readonly scratchBytes: number;
  encode(
    encoder: GPUCommandEncoder | GPUComputePassEncoder,
    args: GpuSortArguments | GpuSegmentArguments,
  ): void;
  destroy(): void;
  [Symbol.dispose](): void;
}

/** A share of the records' bytes, and a number of bytes. */
interface Bytes {
  readonly share: number;
  readonly bytes: number;
}

interface LongBytes extends Bytes {
  readonly fewest: Readonly<Record<4 | 8, number>>;
}

/** What scratch may take besides the records once more. */
export interface Allowance extends Bytes {
  /** The same for `fewest` or more keys without values; `fewest` is by bytes of a key. */
  readonly long?: LongBytes;
}

/** By the docs of `RadixSorter.scratchBytes`: without subgroups. */
export const PORTABLE_SCRATCH: Allowance & { readonly long: LongBytes } = {
  share: 0.03,
  bytes: 4096,
  long: { share: 0.04, bytes: 640 * 1024, fewest: { 4: 2 ** 19, 8: 2 ** 18 } },
};

/** A kind of sorter, the device to make them on, and how far the checks go. */
export interface GpuSubject {
  readonly device: GPUDevice;
  readonly create: (device: GPUDevice, options: GpuSorterOptions) => Promise<GpuSorter>;
  readonly random: Random;
  /** Keys that one workgroup sorts at a time, by bytes of a key. */
  readonly tile: Readonly<Record<4 | 8, number>>;
  /**
   * What scratch may take besides the records once more: a share of their bytes, and a number of
   * bytes.
   */
  readonly scratch: Allowance;
  /** Longest array of random bits to sort. */
  readonly maxLength: number;
  /** Most bytes of a binding: as many as the device allows, where it does not say. */
  readonly bindingBytes?: number | undefined;
  /** Every combination, instead of a random part of them. */
  readonly thorough: boolean;
}

/** Bytes of a key. */
export const keyBytes = (keyType: GpuKeyType): 4 | 8 => (keyType.endsWith('64') ? 8 : 4);

/** "f32 keys, u64 values". */
export const describeType = ({ keyType, valueType }: RecordType): string =>
  `${keyType} keys, ${valueType ?? 'no'} values`;
