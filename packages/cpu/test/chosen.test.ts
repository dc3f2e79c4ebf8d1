/** Rows of a column that are chosen by a bit each, such as the rows of a table with a value. */

import { ARRAY_CLASSES, distributionsFor, runSeed } from '@keysweep/conformance/data';
import { bitsOf, copyChosen, type KeyArray, plainRequest, type SortRequest } from '@keysweep/core';
import { compareKeys } from '@keysweep/core/oracle';
import { type CpuOptions, cpu } from '@keysweep/cpu';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';

drawTests(1 / 2);

const random = testRandom();

/** More than two slices of an arena. */
const ROWS = 70_000;

/** An argsort of random keys, of which some rows are chosen. */
function makeRequest(order: SortRequest['shape']['order'], isOnSharedMemory: boolean): SortRequest {
  const arrayClass = ARRAY_CLASSES[random.below(ARRAY_CLASSES.length)] as (typeof ARRAY_CLASSES)[0];
  let keys: KeyArray = arrayClass.create(ROWS);
  const distributions = distributionsFor(arrayClass);
  distributions[random.below(distributions.length)]?.fill(keys, random);
  if (isOnSharedMemory) {
    const shared = new SharedArrayBuffer(keys.byteLength);
    new Uint8Array(shared).set(new Uint8Array(keys.buffer));
    keys = new (keys.constructor as Uint8ArrayConstructor)(shared as never);
  }
  const words = new Int32Array(Math.ceil(ROWS / 32));
  // From few rows, whose keys are copied, to all.
  const share = random.below(21);
  let length = 0;
  for (let row = 0; row < ROWS; row++) {
    if (random.below(20) >= share) continue;
    words[row >> 5] = (words[row >> 5] as number) | (1 << (row & 31));
    length++;
  }
  const { shape, ...request } = plainRequest('argsort', keys);
  return { ...request, shape: { ...shape, order, length }, chosen: { rows: ROWS, words } };
}

/** The stable order by comparisons. */
function expectedOf({ columns, chosen, shape }: SortRequest): Uint32Array {
  const { words } = chosen as NonNullable<typeof chosen>;
  const keys = Array.from<number | bigint>(columns[0] as Float64Array);
  const sign = shape.order === 'descending' ? -1 : 1;
  const isChosen = (row: number): boolean =>
    ((words[row >> 5] as number) & (1 << (row & 31))) !== 0;
  const rows = Array.from(keys.keys()).filter(isChosen);
  const compare = (a: number, b: number): number =>
    sign * compareKeys(keys[a] as number, keys[b] as number);
  return Uint32Array.from(rows.sort(compare));
}

const WAYS: Readonly<Record<string, CpuOptions>> = {
  'on the calling thread': {},
  'by threads': { threads: 3, threadsFrom: 2 ** 12 },
  'in plain TypeScript': { kernels: 'plain', threads: 1 },
  'in parts': { threads: 2, maxPartLength: 20_000 },
};

describe.each(Object.keys(WAYS))('rows that are chosen are sorted %s', (way) => {
  it.each([
    ['ascending', false],
    ['descending', false],
    ['ascending', true],
  ] as const)('%s, on shared memory: %s', async (order, isOnSharedMemory) => {
    const backend = cpu(WAYS[way]);
    expect(backend.sortsChosen).toBe(true);
    try {
      for (let round = 0; round < 4; round++) {
        const given = makeRequest(order, isOnSharedMemory);
        const out = random.below(2) === 0 ? undefined : new Uint32Array(given.shape.length);
        const request = { ...given, out };
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

it('keys that are detached while they are copied are a TypeError, whenever that is', () => {
  // Every other row.
  const words = new Int32Array(ROWS / 32).fill(0x5555_5555);
  const rows = 32 * words.length;
  const begin = () => {
    const keys = new Float64Array(rows);
    const { shape, ...request } = plainRequest('argsort', keys);
    const own = { ...request, shape: { ...shape, length: rows / 2 }, chosen: { rows, words } };
    return { keys, copying: copyChosen(own) };
  };
  let steps = 0;
  for (const { copying } = begin(); !copying.next().done; ) steps++;
  expect(steps).toBeGreaterThan(3);
  for (let step = 1; step <= steps; step++) {
    const { keys, copying } = begin();
    for (let i = 0; i < step; i++) copying.next();
    structuredClone(keys, { transfer: [keys.buffer] });
    const finish = (): void => {
      while (!copying.next().done);
    };
    expect(finish, `after step ${step} of ${steps}`).toThrow(/^keys was detached/);
  }
});
