/** The gallery's sorts: their steps, and what is said of them. */

import { runSeed } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { EXHIBITS, keysFor } from '../page/gallery/exhibits.js';
import { placesOf } from '../page/gallery/notes.js';
import { stepsOf } from '../page/gallery/trace.js';

const seed = runSeed();
const seeds = [1, 2, seed % 10_007, seed % 65_537];

describe.each(EXHIBITS)('$algorithm.name', (exhibit) => {
  const { algorithm, shape } = exhibit;
  const steps = (from: number) => stepsOf(algorithm, keysFor(exhibit, from), shape);

  it.each(seeds)('begins with the input, and ends sorted: keys of seed %i', (from) => {
    const keys = keysFor(exhibit, from);
    const all = steps(from);
    expect(all[0]!.memory.get('keys')).toEqual([...keys]);
    expect(all.at(-1)!.memory.get('keys')).toEqual([...keys.slice().sort()]);
    if (algorithm.isForPairs !== true) return;
    const order = Array.from(keys, (_, i) => i).sort((a, b) => keys[a]! - keys[b]! || a - b);
    expect(all.at(-1)!.memory.get('values')).toEqual(order);
  });

  it('changes no word but the ones that a step writes', () => {
    const all = steps(seed);
    // The first step is the input, the last one the result, where all is.
    for (const [i, { writes, memory }] of all.slice(1, -1).entries()) {
      const before = all[i]!.memory;
      for (const [name, words] of memory) {
        const written = new Set(writes.flatMap(({ buffer, at }) => (buffer === name ? at : [])));
        const changed = words.flatMap((word, at) => (word === before.get(name)![at] ? [] : at));
        expect(
          changed.filter((at) => !written.has(at)),
          `step ${i + 1}, ${name}, seed ${seed}`,
        ).toEqual([]);
      }
    }
  });

  it('marks one line of the kernel at each step, and says something', () => {
    const all = steps(1);
    expect(all.length).toBeGreaterThan(10);
    expect(all.length).toBeLessThan(250);
    for (const [i, { dispatch, note }] of all.entries()) {
      expect(note.says, `step ${i}`).toMatch(/[.?…]$/);
      if (dispatch === undefined) continue;
      const { kernel, entryPoint } = dispatch;
      const what = `${kernel}, ${entryPoint}: ${note.line}`;
      expect([what, placesOf(dispatch, note.line).length]).toEqual([what, 1]);
    }
  });
});
