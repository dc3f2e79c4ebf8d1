/** Measures a sort of a paper beside keysweep's, away from the page. */

import { Random } from '@keysweep/conformance/data';
import { ALGORITHMS, CPU_SORTS, type CpuSortName } from '@keysweep/papers';
import { sortSync } from 'keysweep/sync';
import type { FromRateWorker, Rate } from './rate.js';
import { medianOfTurns } from './turns.js';

/** Keys of a sort on the CPU, turns, and the seed of the keys. */
const COUNT = 2 ** 20;
const TURNS = 5;
const SEED = 1;

async function rateOf(name: string): Promise<Rate> {
  const algorithm = ALGORITHMS.find((one) => one.name === name);
  if (algorithm !== undefined) {
    const { gpuRate } = await import('./gpu-rate.js');
    return gpuRate(algorithm, TURNS, SEED);
  }
  const keys = new Random(SEED, COUNT).fill(new Uint32Array(COUNT));
  const sorted = keys.slice().sort();
  const time = (sort: (keys: Uint32Array) => void) => (): number => {
    const mine = keys.slice();
    const start = performance.now();
    sort(mine);
    const milliseconds = performance.now() - start;
    if (mine.some((key, i) => key !== sorted[i])) throw new Error('a result was wrong');
    return milliseconds;
  };
  const [theirs, ours] = await medianOfTurns(TURNS, [
    time(CPU_SORTS[name as CpuSortName]),
    time((array) => sortSync(array)),
  ]);
  return { count: COUNT, where: 'one thread', isSoftware: false, theirs, ours };
}

self.onmessage = async ({ data: name }: MessageEvent<string>) => {
  const send = (message: FromRateWorker): void => postMessage(message);
  try {
    send({ kind: 'rate', rate: await rateOf(name) });
  } catch (error) {
    send({ kind: 'failed', message: error instanceof Error ? error.message : `${error}` });
  }
};
