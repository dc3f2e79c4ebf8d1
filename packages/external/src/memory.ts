/** How the memory that a sort may take is divided. */

import { argsortBytes, BLOCK, columnBytes } from './key-words.js';
import type { Layout } from './layout.js';

/** Bytes of records that are put in order before they are written. */
const PIECE = 4 << 20;
/** Parts that a byte can name. It is also fewer than the files that a process may have open. */
const MOST_PARTS = 256;
/** Of the memory what streams may hold, where they hold any. */
const STREAMS = 1 / 4;
/** Bytes that a part gets of a chunk at least, on average. */
const LEAST_WRITE = 1024;
/** A part is this full on average: 1 / 1.25 of what fits. */
const FULL = 0.8;
/** Longer arrays are more than a typed array of every runtime holds. */
const LONGEST = 2 ** 30;

export interface Division {
  /** Bytes that the sort may take. */
  readonly memory: number;
  /** Bytes of records that are sorted at a time. Two such parts are in memory. */
  readonly partBytes: number;
  /** Bytes of records that are partitioned at a time: two being read, two being written. */
  readonly chunkBytes: number;
  /** Bytes of records that are put in order at a time; 0 for bare numbers. */
  readonly pieceBytes: number;
  /** Bytes of the key columns of a part; 0 for bare numbers. */
  readonly columnsBytes: number;
  /** Parts that a partition makes at most. */
  readonly mostParts: number;
  /** Bytes of all buffers: those of a partition lie where parts lie later. */
  readonly bufferBytes: number;
}

const up8 = (bytes: number): number => Math.ceil(bytes / 8) * 8;

/**
 * Divides the memory that is `allowed` for an input of `size` bytes, whole records of `layout`.
 * While it is partitioned, each part's file holds `streamBytes`.
 * @throws RangeError where two such files hold too much
 */
export function divide(
  allowed: number,
  size: number,
  { width, numbers }: Layout,
  words: number,
  streamBytes: number,
): Division {
  const forStreams = streamBytes === 0 ? 0 : Math.floor(allowed * STREAMS);
  const memory = allowed - forStreams;
  const mostParts =
    streamBytes === 0 ? MOST_PARTS : Math.min(MOST_PARTS, Math.floor(forStreams / streamBytes));
  const records = size / width;
  const piece = numbers === undefined ? Math.min(PIECE, memory / 32) : 0;
  const pieceBytes = numbers === undefined ? Math.ceil(piece / width) * width : 0;
  // The backend takes keys twice more; records have columns, their argsort, and three orders.
  const beside = numbers === undefined ? columnBytes(words) + argsortBytes(words) + 12 : 2 * width;
  const fitting = Math.floor((memory - 2 * pieceBytes) / (2 * width + beside));
  const most = Math.max(1, Math.min(fitting, Math.floor(LONGEST / width)));
  const partBytes = Math.min(most, records) * width;
  if (mostParts < 2 && partBytes < size) {
    throw new RangeError(
      `memory must be from ${(2 * streamBytes) / STREAMS} on, got ${allowed}: each file at the ` +
        `address tmp holds ${streamBytes} bytes; or name a folder of this machine as tmp`,
    );
  }
  const columnsBytes = numbers === undefined ? (partBytes / width) * columnBytes(words) : 0;
  const bufferBytes = 2 * up8(partBytes) + 2 * up8(pieceBytes) + up8(columnsBytes);
  // A chunk is in four buffers, and has a byte for each record.
  const chunk = Math.floor((bufferBytes - 64) / (4 * width + 1));
  const chunkBytes = Math.max(1, chunk > BLOCK ? chunk - (chunk % BLOCK) : chunk) * width;
  return { memory, partBytes, chunkBytes, pieceBytes, columnsBytes, mostParts, bufferBytes };
}

/** How many parts `bytes` are divided into: more than fit into memory are divided again. */
export function partsOf(bytes: number, division: Division): number {
  const { partBytes, chunkBytes, mostParts } = division;
  const wanted = Math.ceil(bytes / (FULL * partBytes));
  return Math.max(2, Math.min(wanted, mostParts, Math.floor(chunkBytes / LEAST_WRITE)));
}

/** Takes views out of `buffer`, one behind the other, each from a multiple of 8 on. */
export function carve(buffer: ArrayBuffer): (bytes: number) => Uint8Array<ArrayBuffer> {
  let at = 0;
  return (bytes) => {
    const view = new Uint8Array(buffer, at, bytes);
    at += up8(bytes);
    return view;
  };
}
