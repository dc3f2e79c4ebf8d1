/** The messages between the command and the thread that does its work. */

import type { SortReport } from 'keysweep';
import type { SortCommand } from '../arguments/command.js';
import type { Step } from '../text/progress.js';

/** What the thread is given when it is made. */
export interface Job {
  readonly command: SortCommand;
  /** All bytes of standard input, or undefined where the input is a path. */
  readonly standardInput: Uint8Array<ArrayBuffer> | undefined;
}

/** From the thread. It waits for an answer, any message, after each `write`. */
export type FromJob =
  | { readonly kind: 'progress'; readonly step: Step }
  | { readonly kind: 'write'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'done' } & Result)
  | { readonly kind: 'failed'; readonly message: string; readonly isUsage: boolean };

/** What is known when all is written. */
export interface Result {
  readonly report: SortReport | undefined;
  /** For `--check`: the first row that belongs before the one in front of it, or −1. */
  readonly misplaced: number;
}
