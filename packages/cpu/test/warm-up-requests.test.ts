/** The requests that a warm-up sorts. */

import type { KeyArray } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { expect, it } from 'vitest';
import { warmUpRequests } from '../src/pool/warm-up-requests.js';

const LONG = 20_000;

const isInOrder = (keys: KeyArray): boolean =>
  keys.every((key: number | bigint, i: number) => i === 0 || (keys[i - 1] as typeof key) <= key);

it('sorts keys in no order of each operation and layout, on one thread and on several', () => {
  const seen = new Set<string>();
  for (const { shape, columns } of warmUpRequests(1_000_000, () => LONG)) {
    const [keys] = columns;
    expect(keys.length).toBe(shape.length);
    expect(isInOrder(keys)).toBe(false);
    seen.add(`${shape.operation} ${shape.keyTypes[0]} ${shape.length < LONG ? 'here' : 'there'}`);
  }
  expect(seen.size).toBe(2 * 4 * 2);
});

it('sorts no more keys than it was given as the maximum', async () => {
  for (const { shape } of warmUpRequests(LONG - 1, () => LONG))
    expect(shape.length).toBeLessThan(LONG);
  for (const { shape } of warmUpRequests(100, () => LONG)) expect(shape.length).toBe(100);
  const backend = cpu();
  for (const length of [0, 1, 100]) await backend.warmUp(length);
  await backend.close();
});
