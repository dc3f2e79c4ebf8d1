/** The messages between the command and the thread that does its work. */

import type { SortReport } from 'keysweep';
import type { SortCommand } from '../arguments/command.js';
import type { Step } from '../text/progress.js';
import type { Phases } from '../text/report.js';

/** What the thread is given when it is made. */
export interface Job {
  readonly command: SortCommand;
  /** All bytes of standard input, or undefined where the input is a path. */
  readonly standardInput: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * From the thread. It waits for an answer, any message, after each `write` and `writeAll`, whose
 * bytes move with the message: a copy of them would be one of the whole memory that they lie in.
 */
export type FromJob =
  | { readonly kind: 'progress'; readonly step: Step }
  /** A piece of the output. */
  | { readonly kind: 'write'; readonly bytes: Uint8Array }
  /** Bytes of any number, whose writing is shown. */
  | { readonly kind: 'writeAll'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'done' } & Result)
  | { readonly kind: 'failed'; readonly message: string; readonly isUsage: boolean };

/** What is known when all is written. */
export interface Result {
  readonly report: SortReport | undefined;
  readonly phases: Phases;
  /** For `--check`: the first row that belongs before the one in front of it, or −1. */
  readonly misplaced: number;
  /** The lines of a text that this row and the one before it begin in. */
  readonly lines?: readonly [misplaced: number, before: number] | undefined;
}
