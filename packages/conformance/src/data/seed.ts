/** The seed of a test run. */

type Environment = Record<string, string | undefined>;

/** The process's environment. A page has none; Vite puts what it is given of one elsewhere. */
export function environment(): Environment {
  const { process } = globalThis as { process?: { env?: Environment } };
  return process?.env ?? (import.meta as { env?: Environment }).env ?? {};
}

/** The seed of this run: KEYSWEEP_SEED where it is set, else a new one with each call. */
export function runSeed(): number {
  const given = environment().KEYSWEEP_SEED;
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given) >>> 0;
}
