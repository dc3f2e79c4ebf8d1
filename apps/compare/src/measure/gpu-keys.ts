/** What keys GPU buffers can hold. Apart from the sort itself, which the page need not load to know. */

import type { KeyType } from 'keysweep';

const GPU_KEY_TYPES = ['u32', 'i32', 'f32', 'u64', 'i64', 'f64'] as const;
export type GpuKeyType = (typeof GPU_KEY_TYPES)[number];

/** Why keys of a type can't be sorted in GPU buffers, or undefined. */
export const whyNotResident = (keyType: KeyType): string | undefined =>
  (GPU_KEY_TYPES as readonly KeyType[]).includes(keyType)
    ? undefined
    : 'GPU buffers hold keys of 32 and 64 bits only';
