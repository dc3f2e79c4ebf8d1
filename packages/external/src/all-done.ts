/** Several promises as one. */

/**
 * The results of all `works`, once every one of them has ended: what they work on is then free.
 * @throws what the first of them that failed throws
 */
export async function allDone<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
