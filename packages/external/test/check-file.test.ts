/** What checkFile says of a file, at the ends of what it reads at a time, too. */

import { expect, it } from 'vitest';
import { checkFile } from '../dist/index.js';
import { scratch } from './scratch.js';

const { write } = scratch();

/** Records in a block, and numbers of 4 bytes in one read. */
const [BLOCK, CHUNK] = [8192, 2 ** 20];
const LENGTH = CHUNK + BLOCK + 100;
const PLACES = [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, CHUNK - 1, CHUNK, CHUNK + 1];

it.each([...PLACES, LENGTH - 1])('number %i that is out of its place is found', async (place) => {
  const numbers = Uint32Array.from({ length: LENGTH }, (_, i) => 2 * i + 2);
  const sorted = await checkFile(write('in', numbers), { type: 'u32' });
  expect(sorted).toMatchObject({ records: LENGTH, misplaced: -1, repeats: 0 });
  numbers[place] = 2 * place - 1;
  expect(await checkFile(write('in', numbers), { type: 'u32' })).toMatchObject({
    misplaced: place,
    repeats: 0,
  });
  // The first of two is the one that is told.
  numbers[LENGTH - 1] = 0;
  expect((await checkFile(write('in', numbers), { type: 'u32' })).misplaced).toBe(place);
  numbers[LENGTH - 1] = 2 * LENGTH;
  numbers[place] = numbers[place - 1] as number;
  const record = { bytes: 4, keys: [{ at: 0, type: 'u32' }] } as const;
  expect(await checkFile(write('in', numbers), { record })).toMatchObject({
    misplaced: -1,
    repeats: 1,
  });
});
