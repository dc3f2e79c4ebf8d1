/** Rows that the workers of an isolated page move, while the page only copies. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { cpu } from '@keysweep/cpu';
import { expect, it } from 'vitest';

it(`workers move rows in an isolated page (KEYSWEEP_SEED=${runSeed()})`, async () => {
  expect(globalThis.crossOriginIsolated).toBe(true);
  const random = new Random(runSeed());
  const backend = cpu({ threads: 2 });
  const source = Float64Array.from({ length: 3000 }, () => random.unit());
  const order = Uint32Array.from({ length: 100_000 }, () => random.below(1000));
  const target = new Float64Array(3 * order.length);
  const request = { order, moves: [{ source, target, stride: 3, isNew: true }] };
  expect(await backend.gather?.(request)).toBe(true);
  const expected = target.map((_, i) => {
    return source[3 * (order[Math.floor(i / 3)] as number) + (i % 3)] as number;
  });
  expect(target.every((value, i) => value === expected[i])).toBe(true);
  await backend.close();
});
