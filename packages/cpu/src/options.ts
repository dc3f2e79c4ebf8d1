/** What a caller of `cpu` may choose. */

import { describe, type GlobalInstance, readOptions } from '@keysweep/core';
import { MAX_THREADS } from './pool/large-sorter.js';

/** Options of `cpu`. */
export interface CpuOptions {
  /**
   * Threads that share a large sort, 1 to 256; in Node the calling one is one of them. Default: as
   * many as the system lets this process use, in a page `navigator.hardwareConcurrency`. In a page
   * that is not cross-origin isolated there is one worker, whatever this says.
   */
  threads?: number;
  /** 'plain' keeps to TypeScript even where WebAssembly is there. Default 'wasm'. */
  kernels?: 'wasm' | 'plain';
  /**
   * The address of a worker's file that runs `@keysweep/cpu/worker`, such as a copy of that file on
   * the page's own origin. A string is relative to the page. Default: the file that comes with this
   * package, else the same code in a Blob. In pages only.
   */
  workerUrl?: string | GlobalInstance<'URL', never>;
  /**
   * In place of `workerUrl`: makes a worker that runs `@keysweep/cpu/worker`. Called once for each
   * thread, when the first large array comes. If it throws, or the worker does not load, the
   * default is used, with a warning. In pages only.
   */
  createWorker?: () => GlobalInstance<'Worker', unknown>;
  /**
   * Bytes of working memory that are kept for the next sort however long it takes to come, 0 or
   * more. Default 268,435,456 (256 MiB). More than that is given back, with the threads, once no
   * sort has come for 30 seconds; the next one starts them again. With Infinity everything is kept
   * until `release()`.
   */
  keepBytes?: number;
  /**
   * Most keys and segments sorted at a time, for tests: longer requests are sorted in parts.
   * Default: as many as an arena holds, in parts of a quarter.
   * @internal
   */
  maxPartLength?: number | undefined;
  /**
   * Threads serve a request of this many keys or more, for tests. Default: as many as make them pay
   * on this platform.
   * @internal
   */
  threadsFrom?: number | undefined;
}

const NAMES: ReadonlyArray<keyof CpuOptions> = [
  'threads',
  'kernels',
  'workerUrl',
  'createWorker',
  'keepBytes',
  'maxPartLength',
  'threadsFrom',
];

/** Working memory that is kept, by default. */
const KEEP_BYTES = 256 * 2 ** 20;

/** Options whose defaults are filled in. */
export type CheckedOptions = CpuOptions & Required<Pick<CpuOptions, 'kernels' | 'keepBytes'>>;

/** @throws as `cpu`. */
export function checkOptions(given: CpuOptions | undefined): CheckedOptions {
  const options = readOptions<CpuOptions>(given, NAMES);
  const { threads, kernels = 'wasm', createWorker, workerUrl, keepBytes = KEEP_BYTES } = options;
  if (
    threads !== undefined &&
    !(Number.isInteger(threads) && threads >= 1 && threads <= MAX_THREADS)
  ) {
    throw new RangeError(
      `threads must be a whole number from 1 to ${MAX_THREADS}, got ${describe(threads)}`,
    );
  }

  if (kernels !== 'wasm' && kernels !== 'plain') {
    throw new TypeError(`kernels must be 'wasm' or 'plain', got ${String(kernels)}`);
  }

  if (createWorker !== undefined && typeof createWorker !== 'function') {
    throw new TypeError(`createWorker must be a function, got ${String(createWorker)}`);
  }

  // Not every realm has URLs.
  const isUrl =
    (typeof URL !== 'undefined' && workerUrl instanceof URL) ||
    (typeof workerUrl === 'string' && workerUrl !== '');
  if (workerUrl !== undefined && !isUrl) {
    throw new TypeError(
      `workerUrl must be a URL or a string that is not empty, got ${String(workerUrl)}`,
    );
  }

  if (workerUrl !== undefined && createWorker !== undefined) {
    throw new TypeError('workerUrl and createWorker are two ways for one thing: give one of them');
  }

  if (typeof keepBytes !== 'number' || !(keepBytes >= 0)) {
    throw new RangeError(
      `keepBytes must be a number of bytes, 0 or more, got ${String(keepBytes)}`,
    );
  }

  return { ...options, kernels, keepBytes };
}
