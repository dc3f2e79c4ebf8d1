/** What all steps of one sort share. */

import type { Sorter } from 'keysweep';
import type { FileProgress, SortFileOptions } from '../options.js';
import type { Storage } from '../storage/storage.js';
import type { Plan } from './check.js';
import { KeyWords } from './key-words.js';
import type { Layout } from './layout.js';

export interface Run {
  readonly storage: Storage;
  readonly sorter: Pick<Sorter, 'sort' | 'argsort' | 'gather'>;
  readonly layout: Layout;
  readonly keyWords: KeyWords;
  /** Whether of equal keys only the first is kept. */
  readonly unique: boolean;
  readonly signal: AbortSignal | undefined;
  /** Bytes read from files and written to them. */
  readonly count: { read: number; written: number };
  readonly milliseconds: { -readonly [Stage in FileProgress['phase']]: number };
  /** Tells how far a stage is. @throws the reason of an abort; what the callback throws */
  tell(phase: FileProgress['phase'], completed: number, total?: number): void;
}

/** A sort that begins. */
export function newRun(
  storage: Storage,
  { layout, unique }: Plan,
  { signal, onProgress }: SortFileOptions,
  sorter: Run['sorter'],
): Run {
  return {
    storage,
    sorter,
    layout,
    unique,
    signal,
    keyWords: new KeyWords(layout),
    count: { read: 0, written: 0 },
    milliseconds: { spool: 0, sample: 0, partition: 0, sort: 0 },
    tell(phase, completed, total) {
      signal?.throwIfAborted();
      onProgress?.({ phase, completed, total });
    },
  };
}

/** Does the `work` of a stage, and notes its time. */
export async function timed<T>(
  { milliseconds }: Run,
  stage: FileProgress['phase'],
  work: () => Promise<T>,
): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    milliseconds[stage] += performance.now() - start;
  }
}

/**
 * A promise that is awaited later, or never where another fails first: its rejection does not count
 * as unhandled until then.
 */
export function later<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
