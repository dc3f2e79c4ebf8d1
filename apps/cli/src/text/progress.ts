/** One line on a terminal that says how far the work is. */

import { onInterrupt } from '../io/interrupt.js';
import { formatBytes } from './format.js';

/** How far the work is. */
export interface Step {
  /** What is being done: "reading", "sorting", "writing". */
  readonly doing: string;
  readonly completed: number;
  /** Of the same unit as `completed`; undefined when nobody knows. */
  readonly total: number | undefined;
  /** What is being counted. Only bytes are shown as an amount; steps mean nothing to a reader. */
  readonly unit: 'bytes' | 'steps';
}

/** Takes notes of progress, and shows them where there is somebody to look. */
export interface Progress {
  update(step: Step): void;
  /** Takes the line away for good. */
  clear(): void;
}

/** The part of a stream that progress is drawn on. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Work shorter than this shows no progress, in milliseconds. */
const PATIENCE = 1000;
/** Between two drawings, in milliseconds. */
const INTERVAL = 100;
const BAR_WIDTH = 30;
const ERASE_LINE = '\r\u001b[K';

/** The line for `step`, at most `width` characters. */
export function drawStep({ doing, completed, total, unit }: Step, width: number): string {
  const words = [doing.padEnd(8)];
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
 * Progress on `terminal`, drawn from one second on, or silence when it is no terminal: log files
 * and pipes never see it.
 */
export function createProgress(terminal: Terminal): Progress {
  if (!terminal.isTTY) return SILENT;
  const started = performance.now();
  let latest: Step | undefined;
  let drawnAt = 0;
  let visible = false;
  const draw = (): void => {
    const now = performance.now();
    if (latest === undefined || now - started < PATIENCE || now - drawnAt < INTERVAL) return;
    drawnAt = now;
    visible = true;
    // A terminal that was never told its size says 0 columns.
    terminal.write(ERASE_LINE + drawStep(latest, (terminal.columns || 80) - 1));
  };
  // Updates may come in bursts or not at all for a while; the timer shows the latest either way.
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
