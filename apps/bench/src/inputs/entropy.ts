/**
 * Keys of less entropy than random ones, in bits per bit of a key. They are those of Merrill and
 * Grimshaw, "Revisiting sorting for GPGPU stream architectures", 2010: the bitwise and of several
 * random words.
 */

/** How many random words are anded. */
export const WORDS_ANDED = {
  'entropy-0.811': 2,
  'entropy-0.544': 3,
  'entropy-0.337': 4,
  'entropy-0.201': 5,
} as const;

/** Keys of these entropies; those of none are zeros. */
export type EntropyDistribution = keyof typeof WORDS_ANDED | 'entropy-0';
