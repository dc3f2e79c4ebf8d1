/**
 * Turns for the event loop between short sorts. Each takes a few milliseconds at most. But hundreds
 * of them, begun together or awaited one after the other, are one long run of microtasks, and no
 * timer, message or abort would be heard in between.
 */

import { nextTask } from './next-task.js';
import { readClock } from './time.js';

/** Milliseconds of sorts in a row after which the event loop gets a turn. */
const WORK = 8;

/**
 * A sort of this many keys is timed on its own. For shorter ones the clock is read once per this
 * many keys, which is well below a millisecond. A call counts as some keys more.
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
 * Whether the event loop should get a turn before a sort of `keys` keys, because sorts have
 * followed one another for 8 ms. Call it before each sort, and again after the turn. O(1); for most
 * short sorts it is one addition.
 */
export function isTurnDue(keys: number): boolean {
  unseen += keys + CALL;
  if (unseen < TIMED_FROM) return false;
  const now = readClock();
  // So long without a sort: the loop has had its turn, or is kept by other work than this. Sorts
  // that wait for a turn come first.
  if (turn === undefined && now - ended > WORK) began = now;
  ended = now;
  // While a turn is due, every sort looks.
  if (now - began >= WORK) return true;
  unseen = 0;
  return false;
}

/** Notes the end of a sort of `keys` keys that did not go through `inTurn`. */
export function noteSorted(keys: number): void {
  if (keys >= TIMED_FROM) ended = readClock();
}
