/** What the device finds wrong with what it was told, which it says later and nowhere near. */

/** The GPU had no memory for it: less at a time may go. */
export class OutOfMemory extends Error {}

/** What came of a piece of host code, and what was wrong with it. */
export interface Watched<T> {
  /** What it returned; undefined where it threw. */
  readonly value: T | undefined;
  readonly error: Error | undefined;
}

/**
 * Does `work` within error scopes of its own, so that no error of it reaches the console. `work` must not pause:
 * scopes are the device's, and others would come between.
 */
export async function watch<T>(device: GPUDevice, work: () => T): Promise<Watched<T>> {
  for (const filter of ['internal', 'out-of-memory', 'validation'] as const) {
    device.pushErrorScope(filter);
  }
  let value: T | undefined;
  let thrown: Error | undefined;
  try {
    value = work();
  } catch (error) {
    thrown = error as Error;
  }
  // A device that was lost rejects these; whoever waits for its work learns of that.
  const pop = (): Promise<GPUError | null> => device.popErrorScope().catch(() => null);
  const [validation, memory, internal] = await Promise.all([pop(), pop(), pop()]);
  const found = validation ?? internal;
  // A buffer that there was no memory for makes what is done with it invalid, too.
  if (memory) return { value, error: new OutOfMemory(memory.message, { cause: memory }) };
  return {
    value,
    error: thrown ?? (found ? new Error(found.message, { cause: found }) : undefined),
  };
}
