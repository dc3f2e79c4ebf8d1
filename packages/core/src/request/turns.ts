/**
 * Turns for the event loop among sorts that run at once. Each takes a few milliseconds at most, but
 * hundreds that were begun together, or awaited one after the other, are one long run of
 * microtasks: no timer, no message and no abort would be heard in between.
 */

import { nextTask } from './next-task.js';
import { readClock } from './time.js';

/** Milliseconds of sorts in a row until the event loop gets a turn. */
const WORK = 8;

/**
 * Keys from which on a sort is timed on its own. Of shorter ones so many keys pass, well below a
 * millisecond, between two looks at the clock. A call counts as some keys more.
 */
export const TIMED_FROM: number = 2 ** 13;
const CALL = 64;

/** When the sorts in a row began, and when the last of them ended, as far as was looked. */
let began = 0;
let ended = 0;
/** Keys since the last look. */
let unseen = 0;
/** The turn that is being waited for. */
let turn: Promise<void> | undefined;

/** Resolves when the event loop has had its next turn. */
export function nextTurn(): Promise<void> {
  turn ??= nextTask().then(() => {
    turn = undefined;
    unseen = 0;
    began = ended = readClock();
  });
  return turn;
}

/**
 * Whether the event loop is to have a turn before a sort of so many keys, because sorts have
 * followed one another for 8 ms. To be called once a sort. O(1), and for most short sorts an
 * addition.
 */
export function isTurnDue(keys: number): boolean {
  unseen += keys + CALL;
  if (unseen < TIMED_FROM) return false;
  const now = readClock();
  // So long without a sort: the loop has had its turn, or is kept by other work than this.
  if (now - ended > WORK) began = now;
  ended = now;
  // While a turn is due, every sort looks.
  if (now - began >= WORK) return true;
  unseen = 0;
  return false;
}

/** Notes that a sort of so many keys has ended, which was not told by `inTurn`. */
export function noteSorted(keys: number): void {
  if (keys >= TIMED_FROM) ended = readClock();
}
