/** Several pieces of work at once. */

import { allDone } from './all-done.js';

/** Does `work` on all `items`, on `most` at a time. @throws the first failure, at the end */
export async function atOnce<T>(
  most: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const doSome = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next++] as T;
      try {
        await work(item);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await allDone(Array.from({ length: Math.min(most, items.length) }, doSome));
}
