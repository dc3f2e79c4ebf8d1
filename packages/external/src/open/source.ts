/** The input of a sort: files one after the other, read by ranges. */

import { atOnce } from '../at-once.js';
import { ExternalError } from '../error.js';
import type { StoredFile } from '../storage/storage.js';
import type { Run } from './run.js';

/** Pieces that are read at once. */
const READS = 16;

/** Whole records that can be read in any order. */
export interface Source {
  /** In bytes. */
  readonly size: number;
  /** Its files; empty for bytes in memory. */
  readonly paths: readonly string[];
  /** The versions of its files; empty if they are not the caller's files. */
  readonly versions: readonly string[];
  /** Fills `into` with the bytes that begin at `from`. */
  read(into: Uint8Array, from: number): Promise<void>;
  /** Fills `into` at once if that is as quick as a promise. Returns whether it has. */
  readNow?(into: Uint8Array, from: number): boolean;
  close(): Promise<void>;
}

/**
 * The files `paths`, one after the other.
 * @throws ExternalError if one cannot be read, or is not a whole number of records
 */
export async function openFiles(
  run: Pick<Run, 'storage' | 'layout' | 'count'>,
  paths: readonly string[],
): Promise<Source> {
  const files: StoredFile[] = [];
  const close = async (): Promise<void> => {
    for (const file of files) await file.close();
  };
  try {
    for (const path of paths) {
      const file = await run.storage.open(path);
      files.push(file);
      assertWhole(`'${path}'`, file.size, run.layout.width);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return {
    size,
    paths,
    versions: files.map(({ version }) => version),
    close,
    readNow(into, from) {
      let at = from;
      const file = files.find(({ size }) => {
        if (at < size) return true;
        at -= size;
        return false;
      });
      if (!file?.readNow?.(into, at)) return false;
      run.count.read += into.length;
      return true;
    },
    async read(into, from) {
      await readPieces(files, into, from);
      run.count.read += into.length;
    },
  };
}

/** A stretch of the input; the next piece follows it. */
export interface Piece {
  readonly size: number;
  read(into: Uint8Array, from: number): Promise<void>;
}

/** Fills `into` with the bytes that begin at `from`, as if `pieces` were one. */
export async function readPieces(
  pieces: readonly Piece[],
  into: Uint8Array,
  from: number,
): Promise<void> {
  const [only] = pieces;
  if (pieces.length === 1) return only?.read(into, from);
  const reads: (() => Promise<void>)[] = [];
  let start = 0;
  for (const piece of pieces) {
    const first = Math.max(from, start);
    const last = Math.min(from + into.length, start + piece.size);
    const at = first - start;
    if (first < last) reads.push(() => piece.read(into.subarray(first - from, last - from), at));
    start += piece.size;
  }
  await atOnce(READS, reads, (read) => read());
}

/** @throws ExternalError if `size` bytes are not a whole number of records */
export function assertWhole(name: string, size: number, width: number): void {
  const over = size % width;
  if (over === 0) return;
  throw new ExternalError(
    `${name} is truncated: its ${size} bytes are not a multiple of the ${width} bytes of one ` +
      `record (${over} left over)`,
  );
}

/** Bytes in memory. */
export function heldSource(bytes: Uint8Array): Source {
  return {
    size: bytes.length,
    paths: [],
    versions: [],
    read: async (into, from) => into.set(bytes.subarray(from, from + into.length)),
    close: () => Promise.resolve(),
  };
}
