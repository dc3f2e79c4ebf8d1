/** How a sort uses the memory that it may take. */

import { argsortBytes, BLOCK, columnBytes } from '../open/key-words.js';
import type { Layout } from '../open/layout.js';
import { BLOCK_BYTES, memoryOfPages } from '../storage/block-file.js';
import { SPLIT_BYTES } from './split-numbers.js';
import { MAX_PARTS } from './splitters.js';

/** Bytes of records that are put in order before they are written. */
const PIECE = 4 << 20;
/** The share of the memory that streams may hold, if they hold any. */
const STREAMS = 1 / 4;
/** Bytes that a part gets of a chunk at least, on average. */
const LEAST_WRITE = 1024;
/** A part is this full on average: 1 / 1.25 of what fits. */
const FULL = 0.8;
/** Longer arrays are more than a typed array of every runtime holds. */
const LONGEST = 2 ** 30;
/** What a WebAssembly memory holds: a partition works in one. */
const MAX_MEMORY = 2 ** 32 - 2 ** 16;
/**
 * The share of the output of a chunk that is free between parts, so that each begins at a block.
 */
const GAPS = 1 / 8;
/** Buffers of this many bytes or more begin at blocks. */
const ALIGNED_FROM = 2 ** 24;
/**
 * Bytes of a chunk at most. More bring nothing, and the system is slow to give memory that is used
 * for the first time.
 */
const MAX_CHUNK = 2 ** 25;
/** Parts for each of several processes at least: one that is slower then gets fewer of them. */
const PARTS_EACH = 16;
/** Bytes of their parts on average, at most: FULL of what a GPU's backend keeps memory for. */
const MAX_AVERAGE = FULL * 2 ** 28;
/** Threads that partition at most: the device, or the memory, is what limits more of them. */
const MAX_THREADS = 8;
/** Bytes that a thread has at least, and files that all of them have open at most. */
const LEAST_SHARE = 2 ** 23;
const MAX_FILES = 1024;
/** Buffers that a memory is carved into, and those that may begin anywhere in a block, at most. */
const EDGES = 6 + 5;

/** How much of each buffer fits into the memory of a sort. */
export interface MemoryPlan {
  /** Bytes that the sort may take. */
  readonly memory: number;
  /** Bytes of records that are sorted at a time. Three such parts are in memory. */
  readonly partBytes: number;
  /** Bytes of records that are partitioned at a time: two being read, two being written. */
  readonly chunkBytes: number;
  /** Bytes of a chunk that is in the order of parts, with gaps between them. */
  readonly outputBytes: number;
  /** Bytes of records that are put in order at a time; 0 for bare numbers. */
  readonly pieceBytes: number;
  /** Bytes of the key columns of a part; 0 for bare numbers. */
  readonly columnsBytes: number;
  /** Parts that a partition makes at least, where chunks are large enough, and at most. */
  readonly leastParts: number;
  readonly maxParts: number;
  /** Each buffer begins at a multiple of this many bytes. */
  readonly alignment: number;
  /** Bytes of all buffers. The partition's buffers lie where parts lie later. */
  readonly bufferBytes: number;
}

/**
 * Plans the memory that is `allowed` for an input of `size` bytes, whole records of `layout`.
 * While it is partitioned, each part's file holds `streamBytes`.
 * @throws RangeError where two such files hold too much
 */
export function planMemory(
  allowed: number,
  size: number,
  { width, numbers }: Layout,
  words: number,
  streamBytes: number,
): MemoryPlan {
  const forStreams = streamBytes === 0 ? 0 : Math.floor(allowed * STREAMS);
  const memory = allowed - forStreams;
  const maxParts =
    streamBytes === 0 ? MAX_PARTS : Math.min(MAX_PARTS, Math.floor(forStreams / streamBytes));
  const records = size / width;
  const alignment = memory < ALIGNED_FROM ? 8 : BLOCK_BYTES;
  const piece = numbers === undefined ? Math.min(PIECE, memory / 32) : 0;
  const pieceBytes = numbers === undefined ? Math.ceil(piece / width) * width : 0;
  const columnWidth = numbers === undefined ? columnBytes(words) : 0;
  // The backend takes keys twice more; records have columns, their argsort, and three orders.
  const beside = numbers === undefined ? columnWidth + argsortBytes(words) + 12 : 2 * width;
  const fixed = 2 * pieceBytes + SPLIT_BYTES + EDGES * alignment;
  const fitting = Math.min(
    Math.floor((memory - fixed) / (3 * width + beside)),
    Math.floor(LONGEST / width),
  );
  const divided = Math.floor((MAX_MEMORY - fixed) / (3 * width + columnWidth));
  const most = records > fitting ? Math.min(fitting, divided) : records;
  const partBytes = Math.max(1, most) * width;
  if (maxParts < 2 && partBytes < size) {
    throw new RangeError(
      `memory must be from ${(2 * streamBytes) / STREAMS} on, got ${allowed}: each file at the ` +
        `address tmp holds ${streamBytes} bytes; or name a folder of this machine as tmp`,
    );
  }
  const columnsBytes = (partBytes / width) * columnWidth;
  const bufferBytes = 3 * partBytes + columnsBytes + fixed;
  return {
    memory,
    partBytes,
    ...chunksIn(bufferBytes, width, alignment),
    pieceBytes,
    columnsBytes,
    leastParts: 2,
    maxParts,
    alignment,
    bufferBytes,
  };
}

/** The chunks that fit into `bufferBytes`, or shorter ones. */
function chunksIn(
  bufferBytes: number,
  width: number,
  alignment: number,
): Pick<MemoryPlan, 'chunkBytes' | 'outputBytes'> {
  // A chunk is in two buffers, and in two with gaps, and has a byte for each record.
  const room = bufferBytes - SPLIT_BYTES - EDGES * alignment;
  const fitting = Math.floor(room / ((4 + 2 * GAPS) * width + 1));
  const chunk = Math.min(fitting, Math.floor(MAX_CHUNK / width));
  const chunkBytes = Math.max(1, chunk > BLOCK ? chunk - (chunk % BLOCK) : chunk) * width;
  return { chunkBytes, outputBytes: chunkBytes + Math.floor(chunkBytes * GAPS) };
}

/** What each of `threads` threads has that partition at the same time. */
export function shareOf(memoryPlan: MemoryPlan, threads: number, { width }: Layout): MemoryPlan {
  const bufferBytes = Math.floor(memoryPlan.bufferBytes / threads);
  return { ...memoryPlan, bufferBytes, ...chunksIn(bufferBytes, width, memoryPlan.alignment) };
}

/** How many threads partition into `parts` parts at the same time, of `most` there may be. */
export function threadsFor({ bufferBytes }: MemoryPlan, parts: number, most: number): number {
  const fitting = Math.min(Math.floor(bufferBytes / LEAST_SHARE), Math.floor(MAX_FILES / parts));
  return Math.max(1, Math.min(most, MAX_THREADS, fitting));
}

/** The plan for each of `processes` that sort `bytes`: enough parts that all have work to do. */
export function memoryPlanFor(
  processes: number,
  bytes: number,
  memoryPlan: MemoryPlan,
): MemoryPlan {
  const wanted = Math.max(PARTS_EACH * processes, Math.ceil(bytes / MAX_AVERAGE));
  return { ...memoryPlan, leastParts: Math.min(memoryPlan.maxParts, wanted) };
}

/** How many parts `bytes` are divided into: more than fit into memory are divided again. */
export function partsOf(bytes: number, memoryPlan: MemoryPlan): number {
  const { partBytes, chunkBytes, leastParts, maxParts } = memoryPlan;
  const wanted = Math.max(leastParts, Math.ceil(bytes / (FULL * partBytes)));
  return Math.max(2, Math.min(wanted, maxParts, Math.floor(chunkBytes / LEAST_WRITE)));
}

/** Memory for all buffers. */
export interface Room {
  readonly buffer: ArrayBuffer;
  /** What kernels work in, which begins at a page of the system; undefined where there is none. */
  readonly memory: WebAssembly.Memory | undefined;
}

/** Room for the buffers of a plan. */
export const makeRoom = ({ bufferBytes }: MemoryPlan): Room => roomOf(bufferBytes);

export function roomOf(bytes: number): Room {
  const memory = memoryOfPages(bytes);
  return { buffer: memory?.buffer ?? new ArrayBuffer(bytes), memory };
}

/** Takes views out of `buffer`, one after the other, each from a multiple of `alignment` on. */
export function carve(
  buffer: ArrayBuffer,
  alignment: number,
): (bytes: number) => Uint8Array<ArrayBuffer> {
  let at = 0;
  return (bytes) => {
    const view = new Uint8Array(buffer, at, bytes);
    at += Math.ceil(bytes / alignment) * alignment;
    return view;
  };
}
