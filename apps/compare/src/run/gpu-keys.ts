/** The key types of sorts in GPU buffers: apart from the sort, which the page need not load. */

import type { KeyType } from 'keysweep';

const GPU_KEY_TYPES = ['u32', 'i32', 'f32', 'u64', 'i64', 'f64'] as const;
export type GpuKeyType = (typeof GPU_KEY_TYPES)[number];

/** Why keys of a type cannot be sorted in GPU buffers, or undefined. */
export const whyNotResident = (keyType: KeyType): string | undefined =>
  (GPU_KEY_TYPES as readonly KeyType[]).includes(keyType)
    ? undefined
    : 'GPU buffers hold keys of 32 and 64 bits only';
