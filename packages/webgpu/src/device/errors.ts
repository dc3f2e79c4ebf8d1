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
  const { value, found } = within(device, work);
  return { value, error: await found };
}

/** Watches work that pauses: what is done between two pauses has scopes of its own. */
export class Watch {
  readonly #device: GPUDevice;
  #found: Promise<Error | undefined>[] = [];
  #known: Error | undefined;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /**
   * Does `work` as `watch` does, and returns what it returned.
   * @throws what `work` throws, or what is known by now to be wrong with what was done before. See `error` for what it is.
   */
  during<T>(work: () => T): T {
    if (this.#known !== undefined) throw this.#known;
    const { value, thrown, found } = within(this.#device, work);
    this.#add(found);
    if (thrown !== undefined) throw thrown;
    return value as T;
  }

  /** Waits for `promise`, the device's own; that it rejects is an error, too. */
  async settled<T>(promise: Promise<T>): Promise<T> {
    this.#add(
      promise.then(
        () => undefined,
        (error: Error) => error,
      ),
    );
    return promise;
  }

  /** What was wrong with all that was done: want of memory if that was it, which makes what comes after fail, too. */
  async error(): Promise<Error | undefined> {
    const errors = (await Promise.all(this.#found)).filter((error) => error !== undefined);
    return errors.find((error) => error instanceof OutOfMemory) ?? errors[0];
  }

  #add(found: Promise<Error | undefined>): void {
    this.#found.push(found);
    found.then((error) => {
      this.#known ??= error;
    });
  }
}

/** Does `work` in scopes; `found` resolves to what was wrong with it. */
function within<T>(
  device: GPUDevice,
  work: () => T,
): {
  readonly value: T | undefined;
  readonly thrown: Error | undefined;
  readonly found: Promise<Error | undefined>;
} {
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
  const found = Promise.all([pop(), pop(), pop()]).then(([validation, memory, internal]) => {
    // A buffer that there was no memory for makes what is done with it invalid, too.
    if (memory) return new OutOfMemory(memory.message, { cause: memory });
    const other = validation ?? internal;
    return thrown ?? (other ? new Error(other.message, { cause: other }) : undefined);
  });
  return { value, thrown, found };
}
