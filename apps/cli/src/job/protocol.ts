/** The messages between the command and the thread that does its work. */

import type { KeyArray } from '@keysweep/core';
import type { SortReport } from 'keysweep';
import type { SortCommand } from '../arguments.js';
import type { Step } from '../text/progress.js';

/** What the thread is given when it is made. */
export interface Job {
  readonly command: SortCommand;
  /** All bytes of standard input, or undefined where the input is a path. */
  readonly standardInput: Uint8Array<ArrayBuffer> | undefined;
}

/** From the thread. */
export type FromJob =
  | { readonly kind: 'progress'; readonly step: Step }
  | { readonly kind: 'done'; readonly sorted: KeyArray; readonly report: SortReport | undefined }
  | { readonly kind: 'failed'; readonly message: string };
