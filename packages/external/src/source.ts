/** What is sorted: files one behind the other, read by ranges. */

import { ExternalError } from './error.js';
import type { Run } from './run.js';
import type { StoredFile } from './storage/storage.js';

/** Whole records that can be read in any order. */
export interface Source {
  /** In bytes. */
  readonly size: number;
  /** Its files; empty for bytes in memory. */
  readonly paths: readonly string[];
  /** The versions of its files; empty for what is no file of the caller's. */
  readonly versions: readonly string[];
  /** Fills `into` with the bytes from `from` on. */
  read(into: Uint8Array, from: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * The files `paths`, one behind the other.
 * @throws ExternalError where one cannot be read, or is no whole number of records
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
    async read(into, from) {
      let start = 0;
      for (const file of files) {
        const [first, last] = [
          Math.max(from, start),
          Math.min(from + into.length, start + file.size),
        ];
        if (first < last) await file.read(into.subarray(first - from, last - from), first - start);
        start += file.size;
      }
      run.count.read += into.length;
    },
  };
}

/** @throws ExternalError where `size` bytes are no whole number of records */
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
