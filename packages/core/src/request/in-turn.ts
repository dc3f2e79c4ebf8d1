/** Sorts that run at once, with turns for the event loop between them. */

import { isTurnDue, nextTurn, noteSorted } from './turns.js';

/** Resolves when the last of the sorts that wait may begin; undefined where none waits. */
let line: Promise<void> | undefined;

/**
 * Does the `work` of a sort of `keys` keys: now, or after a turn of the event loop if one is due,
 * in the order of the calls.
 */
export async function inTurn<T>(keys: number, work: () => T | Promise<T>): Promise<T> {
  if (line !== undefined || isTurnDue(keys)) {
    const mine = (line ?? Promise.resolve()).then(async () => {
      while (isTurnDue(keys)) await nextTurn();
    });
    line = mine;
    await mine;
    if (line === mine) line = undefined;
  }
  const result = work();
  noteSorted(keys);
  return result;
}
