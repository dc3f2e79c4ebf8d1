/** How many parts and pieces a sort has. Submitter and workers find out by themselves. */

import { ExternalError } from '@keysweep/external';
import { BLOCK, type Layout, MAX_PARTS, partsOf, planMemory } from '@keysweep/external/internal';

/** Bytes that a piece takes at most: while it is divided, its worker does not answer. */
const MAX_MEMORY = 2 ** 28;
/** How many pieces are made for the workers' sake, if there are as many parts. */
const PIECES = 16;
/** Bytes that the buffers of keys may always have, whatever the memory of a job. */
const KEY_BYTES = 2 ** 26;

export interface JobCounts {
  readonly parts: number;
  /** How many pieces the input is partitioned in, and the records of one; the last has fewer. */
  readonly pieces: number;
  readonly pieceRecords: number;
}

/**
 * The jobs of a sort of `size` bytes in at least `wanted` parts, each in `memory` bytes.
 * @throws ExternalError if that is too little memory
 */
export function jobsOf(size: number, layout: Layout, memory: number, wanted: number): JobCounts {
  const records = size / layout.width;
  const memoryPlan = planMemory(memory, size, layout, wordsOf(layout, memory), 0);
  const needed = size <= memoryPlan.partBytes ? 1 : partsOf(size, memoryPlan);
  if (size > MAX_PARTS * memoryPlan.partBytes) {
    throw new ExternalError(
      `${size} bytes are more than ${MAX_PARTS} parts of ${memoryPlan.partBytes} bytes, which a ` +
        `job sorts in ${memory} bytes of memory; allow more memory`,
    );
  }
  // A job holds a piece twice, and the part of each record.
  const most = Math.floor(Math.min(memory, MAX_MEMORY) / (2 * layout.width + 1));
  const parts = Math.max(1, Math.min(Math.max(needed, wanted), records));
  const pieces = Math.max(Math.min(parts, PIECES), Math.ceil(records / most));
  const pieceRecords = Math.ceil(records / pieces);
  return { parts, pieces: records === 0 ? 0 : Math.ceil(records / pieceRecords), pieceRecords };
}

/** Words of a record's keys. @throws ExternalError if their buffers take too much memory */
function wordsOf(layout: Layout, memory: number): number {
  const words = layout.keys.reduce((sum, { bytes }) => sum + Math.ceil(bytes / 4), 0);
  const needed = 4 * BLOCK * words;
  if (needed <= Math.max(memory, KEY_BYTES)) return words;
  throw new ExternalError(
    `the keys of a record take ${needed} bytes of buffers, which is more than the ${memory} ` +
      'bytes of memory of a job; allow more memory, or name fewer bytes as keys',
  );
}
