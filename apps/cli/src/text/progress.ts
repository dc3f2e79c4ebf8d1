/** The progress line on a terminal. */

import { printable } from '@keysweep/core';
import { onInterrupt } from '../io/interrupt.js';
import { formatBytes } from './format.js';

/** How far the work is. */
export interface Step {
  /** What is being done: "reading", "sorting", "writing". */
  readonly doing: string;
  readonly completed: number;
  /** In the unit of `completed`; undefined when it is not known. */
  readonly total: number | undefined;
  /** The unit. Bytes are shown as an amount, steps only as a percentage. */
  readonly unit: 'bytes' | 'steps';
}

/** Receives progress, and shows it on a terminal. */
export interface Progress {
  update(step: Step): void;
  /** Removes the line, at the end of the work. */
  clear(): void;
}

/** The part of a stream that progress is drawn on. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Work shorter than this shows no progress, in milliseconds. */
const SHOWN_AFTER = 1000;
/** Between two drawings, in milliseconds. */
const INTERVAL = 100;
const BAR_WIDTH = 30;
const ERASE_LINE = '\r\u001b[K';

/** The line for `step`, at most `width` characters. */
export function drawStep({ doing, completed, total, unit }: Step, width: number): string {
  const words = [printable(doing).padEnd(8)];
  if (total !== undefined && total > 0) {
    const share = Math.min(completed / total, 1);
    const filled = Math.round(share * BAR_WIDTH);
    words.push(`[${'='.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}]`);
    words.push(`${Math.floor(share * 100)}%`.padStart(4));
  }
  if (unit === 'bytes') {
    const amount = formatBytes(completed);
    words.push(total === undefined ? amount : `${amount} of ${formatBytes(total)}`);
  }
  return words.join('  ').slice(0, width);
}

const SILENT: Progress = { update() {}, clear() {} };

/**
 * Progress on `terminal`, drawn after one second. Log files and pipes get none.
 */
export function createProgress(terminal: Terminal): Progress {
  if (!terminal.isTTY) return SILENT;
  const started = performance.now();
  let latest: Step | undefined;
  let drawnAt = 0;
  let visible = false;
  const draw = (): void => {
    const now = performance.now();
    if (latest === undefined || now - started < SHOWN_AFTER || now - drawnAt < INTERVAL) return;
    drawnAt = now;
    visible = true;
    // A terminal without a known size reports 0 columns.
    terminal.write(ERASE_LINE + drawStep(latest, (terminal.columns || 80) - 1));
  };
  // Updates come at irregular times; the timer draws the latest.
  const timer = setInterval(draw, INTERVAL);
  timer.unref();
  const erase = (): void => {
    if (visible) terminal.write(ERASE_LINE);
    visible = false;
  };
  const forgetInterrupt = onInterrupt(erase);
  return {
    update(step) {
      latest = step;
      draw();
    },
    clear() {
      clearInterval(timer);
      forgetInterrupt();
      erase();
    },
  };
}
