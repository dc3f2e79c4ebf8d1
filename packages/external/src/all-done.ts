/** Several promises as one. */

/** Resolves when all of `promises` have ended. @throws the first failure among them, then */
export async function allDone(promises: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(promises)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
