/** Writes files of keys as programs have them, on all cores. */

import { truncateSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { KEY_WORDS } from './distributions.js';
import { type KeysName, PIECE, typeOf } from './real-keys.js';

/** A file to make. */
export interface NewFile {
  readonly path: string;
  readonly name: KeysName;
  /** Keys. */
  readonly length: number;
}

/** What one thread makes: of the pieces of all files, every `step`-th, beginning at `first`. */
export interface KeyWork {
  readonly files: readonly NewFile[];
  readonly seed: number;
  readonly first: number;
  readonly step: number;
}

const PROGRAM = new URL('./key-thread.js', import.meta.url);

/** A file for every kind at every length, in `folder`. */
export const filesIn = (
  folder: string,
  names: readonly KeysName[],
  lengths: readonly number[],
): NewFile[] =>
  lengths.flatMap((length) =>
    names.map((name) => ({ path: join(folder, `${name}.${Math.log2(length)}`), name, length })),
  );

/** Resolves to the number of threads. The same seed makes the same files on any number of them. */
export async function writeKeys(files: readonly NewFile[], seed: number): Promise<number> {
  let pieces = 0;
  for (const { path, name, length } of files) {
    writeFileSync(path, '');
    truncateSync(path, 4 * KEY_WORDS[typeOf(name)] * length);
    pieces += Math.ceil(length / PIECE);
  }
  const step = Math.min(availableParallelism(), pieces);
  const parts = Array.from({ length: step }, (_, first) => ({ files, seed, first, step }));
  await Promise.all(parts.map(work));
  return step;
}

const work = (part: KeyWork): Promise<void> =>
  new Promise((resolve, reject) => {
    new Worker(PROGRAM, { workerData: part, execArgv: [] })
      .on('error', reject)
      .on('exit', () => resolve());
  });
