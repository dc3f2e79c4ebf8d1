/** What the comparison with other programs measures. */

import type { Definition } from '../inputs/definitions.js';

const define = (
  operation: Definition['operation'],
  keyType: Definition['keyType'],
  length: number,
): Definition => ({ operation, keyType, length, distribution: 'random' });

/** In the order in which they run. */
export const DEFINITIONS: readonly Definition[] = [
  ...[1e5, 1e6, 1e7].map((length) => define('sort', 'u32', length)),
  ...(['f32', 'f64', 'u64'] as const).flatMap((keyType) =>
    [1e6, 1e7].map((length) => define('sort', keyType, length)),
  ),
  define('argsort', 'f32', 1e6),
];

/** For several numbers of threads as well: sizes at which threads only just pay, too. */
export const SCALING: readonly Definition[] = [
  define('sort', 'u32', 3e5),
  ...(['f64', 'u64'] as const).flatMap((keyType) =>
    [1e5, 3e5].map((length) => define('sort', keyType, length)),
  ),
  define('argsort', 'f32', 1e7),
];

/** Takes some 2 GB, and a minute. */
export const LARGE: readonly Definition[] = [define('sort', 'u32', 64e6)];

/** Samples of each implementation without --samples. */
export function samplesOf({ length }: Definition): number {
  if (length <= 1e5) return 31;
  if (length <= 1e6) return 15;
  return length <= 1e7 ? 7 : 3;
}

/** Samples that do not count, taken first. V8 needs more short ones to compile. */
export function warmUpsOf({ length }: Definition): number {
  return length <= 1e6 ? 5 : 1;
}
