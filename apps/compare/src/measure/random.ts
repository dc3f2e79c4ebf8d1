/** Random words that a seed decides. */

/** The next random 32-bit word. */
export type Words = () => number;

/** Doty-Humphrey's sfc32 (PractRand): 96 bits of state and a counter, so that words do repeat as random ones would. */
export function wordsFrom(...seed: readonly number[]): Words {
  let [a = 0, b = 0, c = 0] = seed.map((word) => word | 0);
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // Seeds that differ in few bits have parted by then.
  for (let i = 0; i < 15; i++) next();
  return next;
}
