/** Records that stay in the source while it is partitioned, as parts list them. */

import { expect, it } from 'vitest';
import { Stays } from '../src/divide/part.js';

it('joins records that follow each other in the source, and no others', () => {
  const stays = new Stays(2);
  stays.add(0, { behind: 0, from: 0, size: 8 });
  stays.add(0, { behind: 0, from: 8, size: 16 });
  // Records of the other part lie between.
  stays.add(1, { behind: 0, from: 24, size: 8 });
  stays.add(0, { behind: 0, from: 32, size: 8 });
  // Records that went to the part's file lie between.
  stays.add(0, { behind: 4, from: 40, size: 8 });
  expect(stays.partOf(0, 'file', 4)).toEqual({
    paths: ['file'],
    size: 44,
    stays: [
      { behind: 0, from: 0, size: 24 },
      { behind: 0, from: 32, size: 8 },
      { behind: 4, from: 40, size: 8 },
    ],
  });
});
