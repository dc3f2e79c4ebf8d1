/** The conformance suite on the webgl2 backend. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { CHECKS, type Effort, runCheck, verifyBoundaries } from '@keysweep/conformance/suite';
import type { Backend } from '@keysweep/core';
import { type Webgl2Options, webgl2 } from '@keysweep/webgl2';

export interface CheckOptions {
  /** Part of the names of the checks to run; all of them by default. */
  readonly only?: string;
  /** Part of the names of VARIANTS. */
  readonly variants?: string;
  /** How much of each check is run. Default: 'all'. */
  readonly effort?: Effort;
  /** Seed of the random inputs. */
  readonly seed?: number;
}

const load = (): Promise<object> => import('gpu.js');

/**
 * How the backend is checked. GPUs that write eight textures at a time are checked with four as
 * well.
 */
const VARIANTS: Readonly<Record<string, Webgl2Options>> = {
  'as many textures as the GPU can write': { load },
  'four textures': { load, slotBits: 2 },
};

/** Runs the checks, prints a line for each, and resolves to the names of those that failed. */
export async function checkWebgl2(options: CheckOptions): Promise<string[]> {
  const { only = '', variants = '', effort = 'all', seed = runSeed() } = options;
  const failed: string[] = [];
  for (const [variant, webgl2Options] of Object.entries(VARIANTS)) {
    if (!variant.includes(variants)) continue;
    const create = (): Backend => webgl2(webgl2Options);
    const backend = create();
    const runnables = [
      { name: 'every boundary of 16 bits', run: () => verifyBoundaries(backend) },
      ...CHECKS.map((one, i) => ({
        name: one.name,
        run: () => {
          const random = new Random(seed + i);
          return runCheck(one, { backend, create, random, lengths: [], effort }, seed);
        },
      })),
    ].filter(({ name }) => name.includes(only));
    console.log(`${variant}: ${JSON.stringify(await backend.probe())}`);
    for (const { name, run } of runnables) {
      try {
        await run();
        console.log(`${variant}: ${name}: passed`);
      } catch (error) {
        console.log(`${variant}: ${name}: FAILED: ${String(error)}`);
        failed.push(`${variant}: ${name}`);
      }
    }
    await backend.close();
  }
  console.log(`${failed.length} failed, seed ${seed}`);
  return failed;
}
