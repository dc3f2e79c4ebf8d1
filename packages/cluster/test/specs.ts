/** Descriptions of sorts, as a submitter makes them. */

import { jobsOf } from '../dist/jobs/division.js';
import type { SortSpec } from '../dist/jobs/jobs.js';

/** A sort of `size` bytes of numbers in one part. */
export function specIn(folder: string, size: number): SortSpec {
  const layout = {
    width: 4,
    numbers: 'u32',
    keys: [{ at: 0, bytes: 4, type: 'u32', order: 'ascending' }],
  } as const;
  const memory = 1e6;
  return {
    ...{ input: ['/shared/in'], versions: ['1'], size, output: '/shared/out', layout, memory },
    ...jobsOf(size, layout, memory, 1),
    ...{ attempts: 3, folder },
  };
}
