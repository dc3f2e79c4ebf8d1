/** The plans of all sorts, done by twins: of the shape that is measured, and of small ones. */

import { readdirSync, readFileSync } from 'node:fs';
import { runSeed } from '@keysweep/conformance/data';
import { ALGORITHMS, CPU_ALGORITHMS, constantsOf, SHAPE, type Shape } from '@keysweep/papers';
import { memoryOf, runTwin, TWINS } from '@keysweep/papers/twins';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';

const seed = runSeed();
const random = testRandom();

/** Tiles of 4 and of 8 keys, and tiles of all that is sorted. */
const SHAPES: readonly Shape[] = [
  { threads: 2, items: 2, samples: 2, line: 4, keyBits: 4 },
  { threads: 4, items: 2, samples: 4, line: 4, keyBits: 8 },
  { threads: 16, items: 2, samples: 4, line: 8, keyBits: 32 },
  SHAPE,
];

const folder = new URL('../kernels/wgsl/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.wgsl'));

describe.each(files)('the kernel %s', (file) => {
  it('has a page at most, says what it is and where from, and has a twin', () => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const name = file.replace('.wgsl', '');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(80);
    const [header = ''] = text.split('\n\nstruct ');
    for (const what of ['Source:', 'Bytes a', 'Operations', 'orkgroup storage']) {
      expect([name, header.includes(what) && what]).toEqual([name, what]);
    }
    const entryPoints = text.match(/(?<=@compute[^\n]*\nfn )\w+/g) ?? [];
    expect(entryPoints.length).toBeGreaterThan(0);
    expect(Object.keys(TWINS[name] ?? {})).toEqual(expect.arrayContaining(entryPoints));
  });
});

describe.each([...ALGORITHMS, ...CPU_ALGORITHMS])('$name', (algorithm) => {
  it.each(SHAPES)('sorts: $threads threads, $items items, $keyBits bits', (shape) => {
    const isForTile = ['selection', 'insertion'].includes(algorithm.name);
    const tile = shape.threads * shape.items;
    const isCpu = CPU_ALGORITHMS.some(({ name }) => name === algorithm.name);
    const { isForPairs = false, isStable } = algorithm;
    const all = [1, 3, tile - 1, tile, ...(isForTile ? [] : [tile + 1, 2 * tile + 3, 37])];
    // An odd-even transposition of more takes long.
    const most = algorithm.name === 'odd-even-transposition' ? 256 : 4096;
    for (const length of all.filter((length) => length <= most)) {
      const count = isCpu ? 4 * Math.ceil(length / 4) : length;
      const keys = Uint32Array.from({ length: count }, () => random.below(2 ** shape.keyBits));
      const values = isForPairs || isStable ? keys.map((_, i) => i) : undefined;
      const plan = algorithm.plan(count, values !== undefined, shape);
      const memory = memoryOf(plan, keys, values);
      for (const dispatch of plan.dispatches) runTwin(dispatch, memory, constantsOf(shape));
      const what = `${count} keys, seed ${seed}`;
      expect([what, memory.get(plan.result.keys)]).toEqual([what, keys.slice().sort()]);
      if (values === undefined) continue;
      const order = Uint32Array.from(values).sort(
        (a, b) => (keys[a] as number) - (keys[b] as number) || a - b,
      );
      expect([what, memory.get(plan.result.values)]).toEqual([what, order]);
    }
  });
});
