/**
 * How a job is cut up for the threads that share it: slices for the phases that read or move every
 * record, pieces for the phase that sorts buckets.
 */

/** Who sorts a request in an arena. */
export interface Threading {
  readonly threads: number;
  /** Whether a thread that is alone pauses: it then needs short pieces. */
  readonly pauses: boolean;
}

/** One thread that does not pause. */
export const AT_ONCE: Threading = { threads: 1, pauses: false };

/** How a request is cut. */
export interface Cuts {
  /** Slices of all records. */
  readonly slices: number;
  /** Records of a slice of any range; undefined if every range has as many slices. */
  readonly sliceRecords: number | undefined;
  /** Records that a piece of short runs should hold. */
  readonly pieceRecords: number;
  /** A segment of this length or more is partitioned. */
  readonly partitionFrom: number;
  /** A bucket of this many records or more is oversized. */
  readonly oversizedFrom: number;
}

/**
 * Bytes of records in a slice of a thread that pauses. The first slice is read by kernels that are
 * not optimized yet: the scatter of a mebibyte then takes 3 ms.
 */
export const SLICE_BYTES: number = 1 << 18;

/** Bytes of records that a thread which pauses sorts at once, at most: a millisecond's work. */
const PIECE_BYTES = 1 << 20;

/** Slices a thread that a phase over all records is cut into: a slow thread then takes fewer. */
const SLICES_PER_THREAD = 4;

/** Records that a piece of short runs should hold: some tenths of a millisecond of work. */
const SHARED_PIECE_RECORDS = 1 << 14;

/**
 * Most pieces for the buckets of a partition, but large ones. Claiming a piece runs code of the
 * host; the more often it runs, the sooner the engine compiles it on a core that the sort needs.
 */
export const MAX_PIECES: number = 256;

/**
 * Segments of this length or more are partitioned by all threads together, and floats of both signs
 * by one thread as well: each of their buckets has one sign, and the order then costs nothing.
 */
export const SHARED_PARTITION_FROM: number = 1 << 16;

/**
 * A bucket of more than a thread's share of all records is oversized: one thread would be busy with
 * it while the others have nothing left, so all threads partition it again. So is a bucket so large
 * that passes over it miss the caches.
 */
export const OVERSIZED_BYTES: number = 4 << 20;

/** How `length` records of `stride` bytes are cut. */
export function cutFor(length: number, stride: number, threading: Threading): Cuts {
  const { threads, pauses } = threading;
  const sliceRecords = pauses ? SLICE_BYTES / stride : undefined;
  const fixed = threads === 1 ? 1 : SLICES_PER_THREAD * threads;
  return {
    slices: sliceRecords === undefined ? fixed : Math.ceil(Math.max(length, 1) / sliceRecords),
    sliceRecords,
    pieceRecords: pieceRecords(length, stride, threading),
    // What a lone thread's own caches no longer hold, and too long a piece for one that pauses.
    partitionFrom: threads === 1 ? PIECE_BYTES / stride : SHARED_PARTITION_FROM,
    oversizedFrom: oversizedFrom(length, stride, threading),
  };
}

function oversizedFrom(length: number, stride: number, { threads, pauses }: Threading): number {
  if (pauses) return PIECE_BYTES / stride;
  return Math.max(
    SHARED_PARTITION_FROM,
    Math.ceil(Math.min(length / threads, OVERSIZED_BYTES / stride)),
  );
}

/**
 * A thread that is alone takes all short runs at once. One that pauses takes a slice, and with it a
 * bucket that reaches beyond.
 */
function pieceRecords(length: number, stride: number, { threads, pauses }: Threading): number {
  if (threads > 1) return SHARED_PIECE_RECORDS;
  return pauses ? SLICE_BYTES / stride : Math.max(length, 1);
}

/** Slices of the records [start, end): as many as the job has, or fewer. */
export function slicesIn({ slices, sliceRecords }: Cuts, start: number, end: number): number {
  return sliceRecords === undefined ? slices : Math.max(1, Math.ceil((end - start) / sliceRecords));
}

/** First record and number of the records of a slice of [start, end). */
export function sliceOf(
  cuts: Cuts,
  slice: number,
  start: number,
  end: number,
): readonly [first: number, count: number] {
  const slices = slicesIn(cuts, start, end);
  const at = (s: number): number => start + Math.floor(((end - start) * s) / slices);
  return [at(slice), at(slice + 1) - at(slice)];
}
