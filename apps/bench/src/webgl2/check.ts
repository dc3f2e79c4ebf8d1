/** `check`: the conformance suite on the WebGL2 backend, in every realm that it works in. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { CHECKS, type Effort, runCheck, verifyBoundaries } from '@keysweep/conformance/suite';
import type { Backend } from '@keysweep/core';
import { type Webgl2Options, webgl2 } from '@keysweep/webgl2';

export interface CheckOptions {
  /** Part of the names of the checks to run; all of them by default. */
  readonly only?: string;
  /** Part of the names of the ways. */
  readonly ways?: string;
  /** How much of each check is run. Default: 'all'. */
  readonly effort?: Effort;
  /** Seed of the random inputs. */
  readonly seed?: number;
}

/** In which ways the backend is checked: on GPUs that write eight textures at a time, with four as well. */
const WAYS: Readonly<Record<string, Webgl2Options>> = {
  'in a worker': {},
  'in the page': { worker: false },
  'in the page, four textures': { worker: false, slotBits: 2 },
};

/** Runs the checks, prints a line for each, and resolves to the names of those that failed. */
export async function check(options: CheckOptions): Promise<string[]> {
  const { only = '', ways = '', effort = 'all', seed = runSeed() } = options;
  const failed: string[] = [];
  for (const [way, webgl2Options] of Object.entries(WAYS)) {
    if (!way.includes(ways)) continue;
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
    console.log(`${way}: ${JSON.stringify(await backend.probe())}`);
    for (const { name, run } of runnables) {
      try {
        await run();
        console.log(`${way}: ${name}: passed`);
      } catch (error) {
        console.log(`${way}: ${name}: FAILED: ${String(error)}`);
        failed.push(`${way}: ${name}`);
      }
    }
    await backend.close();
  }
  console.log(`${failed.length} failed, seed ${seed}`);
  return failed;
}
