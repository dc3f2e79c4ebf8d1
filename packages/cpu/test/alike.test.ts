/** Rows that are sorted as if they had the key of another one: those of a table without a value. */

import { ARRAY_CLASSES, distributionsFor, runSeed } from '@keysweep/conformance/data';
import { bitsOf, type KeyArray, plainRequest, type SortRequest } from '@keysweep/core';
import { compareKeys } from '@keysweep/core/oracle';
import { type CpuOptions, cpu } from '@keysweep/cpu';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';

drawTests(1 / 2);

const random = testRandom();

/** More than two slices of an arena. */
const LENGTH = 70_000;

/** An argsort of random keys, of which some rows are alike. */
function makeRequest(order: SortRequest['shape']['order'], isOnSharedMemory: boolean): SortRequest {
  const arrayClass = ARRAY_CLASSES[random.below(ARRAY_CLASSES.length)] as (typeof ARRAY_CLASSES)[0];
  let keys: KeyArray = arrayClass.create(LENGTH);
  const distributions = distributionsFor(arrayClass);
  distributions[random.below(distributions.length)]?.fill(keys, random);
  if (isOnSharedMemory) {
    const shared = new SharedArrayBuffer(keys.byteLength);
    new Uint8Array(shared).set(new Uint8Array(keys.buffer));
    keys = new (keys.constructor as Uint8ArrayConstructor)(shared as never);
  }
  const share = random.below(20);
  const rows: number[] = [];
  const others: number[] = [];
  for (let row = 0; row < LENGTH; row++) (random.below(20) < share ? rows : others).push(row);
  const alike = { rows: Uint32Array.from(rows), like: others[0] ?? LENGTH - 1 };
  const request = plainRequest('argsort', keys);
  return { ...request, shape: { ...request.shape, order }, alike };
}

/** The stable order by comparisons. */
function expectedOf({ columns, alike, shape }: SortRequest): Uint32Array {
  const keys = Array.from<number | bigint>(columns[0] as Float64Array);
  for (const row of alike?.rows ?? []) keys[row] = keys[alike?.like as number] as number;
  const sign = shape.order === 'descending' ? -1 : 1;
  const rows = Array.from(keys, (_, row) => row);
  const compare = (a: number, b: number): number =>
    sign * compareKeys(keys[a] as number, keys[b] as number);
  return Uint32Array.from(rows.sort(compare));
}

const WAYS: Readonly<Record<string, CpuOptions>> = {
  'on the calling thread': {},
  'by threads': { threads: 3, threadsFrom: 2 ** 15 },
  'in plain TypeScript': { kernels: 'plain', threads: 1 },
  'in parts': { threads: 2, maxPartLength: 20_000 },
};

describe.each(Object.keys(WAYS))('rows that are alike are sorted %s', (way) => {
  it.each([
    ['ascending', false],
    ['descending', false],
    ['ascending', true],
  ] as const)('%s, on shared memory: %s', async (order, isOnSharedMemory) => {
    const backend = cpu(WAYS[way]);
    expect(backend.sortsAlike).toBe(true);
    try {
      for (let round = 0; round < 4; round++) {
        const request = makeRequest(order, isOnSharedMemory);
        const [keys] = request.columns;
        const before = bitsOf(keys).slice();
        const { permutation } = await backend.sort(request);
        const what = `seed ${runSeed()}, round ${round}, ${request.shape.keyTypes}`;
        expect(permutation, what).toEqual(expectedOf(request));
        expect(bitsOf(keys), what).toEqual(before);
      }
    } finally {
      await backend.close();
    }
  });
});
