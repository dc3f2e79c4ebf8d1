/** Strings that the workers of an isolated page spell, while the page makes their texts. */

import { Random, runSeed } from '@keysweep/conformance/data';
import type { Backend } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { builtin, createSorter } from 'keysweep';
import { expect, it } from 'vitest';

it(`workers spell the strings of a column (KEYSWEEP_SEED=${runSeed()})`, async () => {
  expect(globalThis.crossOriginIsolated).toBe(true);
  const random = new Random(runSeed());
  const backend: Backend = cpu({ threads: 2 });
  const spell = backend.spell?.bind(backend);
  const spelt: (boolean | undefined)[] = [];
  backend.spell = async (request) => {
    spelt.push(await spell?.(request));
    return spelt.at(-1) === true;
  };
  const sorter = await createSorter({ backends: [backend, builtin()] });
  await sorter.warmUp(2 ** 20);
  await backend.warmUp(2 ** 20);
  const keys = Array.from({ length: 80_000 }, () => `Zoë ${random.below(2 ** 20).toString(36)}`);
  const collator = new Intl.Collator('sv');
  const { compare } = collator;
  const rows = Uint32Array.from(keys.keys());
  rows.sort((a, b) => compare(keys[a] as string, keys[b] as string) || a - b);
  const order = await sorter.argsort({ keys, collator });
  expect(order.every((row, i) => row === rows[i])).toBe(true);
  expect(spelt).toContain(true);
  await sorter.close();
});
