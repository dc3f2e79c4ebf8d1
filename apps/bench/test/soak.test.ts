/** Whether a soak sees what it is there to see, and that an era of it finds nothing wrong here. */

import { spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runSeed } from '@keysweep/conformance/data';
import { builtin, createSorter, type Sorter } from 'keysweep';
import { describe, expect, it } from 'vitest';
import { type Call, describeCall, drawCall } from '../src/soak/call.js';
import { serveCall } from '../src/soak/serve.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const seed = runSeed();
const most = { auto: 3000, builtin: 3000, cpu: 0, webgpu: 0, webgl2: 0 };

const draw = (number: number): Call => drawCall(seed, number, { backends: ['auto'], most });

/** Serves calls until one is found wrong; undefined where none of so many is. */
async function faultOf(sorter: Sorter, calls: number): Promise<string | undefined> {
  for (let number = 0; number < calls; number++) {
    const later: (() => void)[] = [];
    const surroundings = {
      sorter,
      isClosed: () => false,
      hasFault: () => false,
      watchListeners: (signal: AbortSignal) => () => getEventListeners(signal, 'abort').length,
      checkLater: (check: () => void) => later.push(check),
    };
    try {
      await serveCall(draw(number), surroundings);
      await new Promise((resolve) => setTimeout(resolve, 0));
      for (const check of later) check();
    } catch (error) {
      return (error as Error).message;
    }
  }
  return undefined;
}

const nothing = (): void => {};

const BROKEN: readonly {
  readonly flaw: string;
  readonly says: RegExp;
  readonly sort: (sorter: Sorter) => Sorter['sort'];
}[] = [
  {
    flaw: 'leaves two keys in the wrong order',
    says: /./,
    sort: (sorter) => async (keys, options) => {
      await sorter.sort(keys, options);
      keys.subarray(0, 2).reverse();
      return keys;
    },
  },
  {
    flaw: 'loses a key',
    says: /./,
    sort: (sorter) => async (keys, options) => {
      await sorter.sort(keys, options);
      keys.copyWithin(1, 0, 1);
      return keys;
    },
  },
  {
    flaw: 'leaves a listener on the signal',
    says: /1 listeners are left/,
    sort: (sorter) => async (keys, options) => {
      options?.signal?.addEventListener('abort', nothing);
      return sorter.sort(keys, options);
    },
  },
  {
    flaw: 'writes what was aborted',
    says: /after a rejection/,
    sort: (sorter) => async (keys, options) => {
      if (options?.signal?.aborted) keys.sort();
      return sorter.sort(keys, options);
    },
  },
  {
    flaw: 'writes late',
    says: /after a rejection/,
    sort: (sorter) => async (keys, options) => {
      if (options?.signal?.aborted) queueMicrotask(() => setImmediate(() => keys.sort()));
      return sorter.sort(keys, options);
    },
  },
  {
    flaw: 'returns another array',
    says: /another array/,
    sort: (sorter) => async (keys, options) => sorter.toSorted(keys, options) as never,
  },
];

describe(`a soak (KEYSWEEP_SEED=${seed})`, () => {
  it('draws a call again', () => {
    for (let number = 0; number < 20; number++) {
      expect(describeCall(draw(number))).toBe(describeCall(draw(number)));
      expect(draw(number).keys.map(({ before }) => before)).toEqual(
        draw(number).keys.map(({ before }) => before),
      );
    }
  });

  it('finds nothing wrong with a sorter that is right', async () => {
    expect(await faultOf(await createSorter({ backends: [builtin()] }), 300)).toBeUndefined();
  });

  it.each(BROKEN)('finds a sorter that $flaw', async ({ sort, says }) => {
    const sorter = await createSorter({ backends: [builtin()] });
    expect(await faultOf({ ...sorter, sort: sort(sorter) }, 3000)).toMatch(says);
  });

  it('runs the era of a call', () => {
    const args = ['soak', '--seed', `${seed}`, '--call', '7', '--backends', 'auto,cpu,builtin'];
    const { status, stdout } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
    expect(stdout).toMatch(/: 100 calls \(.*0 threads, 0 GPU buffers.*\nnothing wrong\n$/);
    expect(status).toBe(0);
  });
});
