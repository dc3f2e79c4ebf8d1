/**
 * Numbers that the kernels (AssemblyScript) and their host (TypeScript) share. Both compile this
 * file, so it holds plain constants and nothing else. Structs in memory: see wasm/blocks.ts.
 */

/**
 * Variants of a kernel: bits 0 and 1 are the record layout, [key] or [payload][key], by the width
 * of its keys. In a pair the payload is as wide as the key.
 */
export const KEYS_32 = 0;
export const KEYS_64 = 1;
export const PAIRS_32 = 2;
export const PAIRS_64 = 3;

/** Added for float keys whose words have to be computed: see wasm/order.ts. */
export const FLOAT = 4;

/**
 * Added where integers are partitioned by a digit within a window: its first and last values are
 * for all keys below and above the window.
 */
export const WINDOW = 8;

/** Added where integers are partitioned by magnitude: as floats with `shift` mantissa bits. */
export const MAGNITUDE = 16;

/** Formats of an array of keys or payloads. Signed words are widened with their sign. */
export const ABSENT = 0;
export const UNSIGNED_32 = 1;
export const SIGNED_32 = 2;
export const WORDS_64 = 3;

/** Bits of the digit that a partition splits by: 2^9 buckets. */
export const PARTITION_BITS = 9;

/**
 * Bits of the widest digit of a pass over a run. Its 2^12 counters of 4 bytes fill a third of a
 * first-level cache of 48 KiB.
 */
export const MAX_DIGIT_BITS = 12;

/** Bytes of counters of a run: 64 bits are six digits of 12 bits, 6 * (4 << 12) bytes. */
export const RUN_COUNTER_BYTES = 98304;

/** The most bits of a value that rows are counted by, in one pass over a counter for each value. */
export const COUNTED_BITS = 17;
