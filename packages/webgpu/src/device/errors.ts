/**
 * Errors of a GPU device. It reports them later than the calls that caused them, and only to the
 * error scopes that were open around those calls.
 */

/** The GPU, or the host for the GPU, had no memory: fewer records at a time may succeed. */
export class OutOfMemoryError extends Error {}

/** The result of a piece of host code, and its errors. */
export interface Scoped<T> {
  /** What it returned; undefined where it threw. */
  readonly value: T | undefined;
  readonly error: Error | undefined;
}

/**
 * Runs `work` within error scopes of its own, so that none of its errors reaches the console.
 * `work` is synchronous: scopes belong to the device, and scopes of other work would come between.
 */
export async function inErrorScopes<T>(device: GPUDevice, work: () => T): Promise<Scoped<T>> {
  const { value, found } = runScoped(device, work);
  return { value, error: await found };
}

/** The errors of work that pauses: each piece between two pauses has error scopes of its own. */
export class ErrorScopes {
  readonly #device: GPUDevice;
  #found: Promise<Error | undefined>[] = [];
  #known: Error | undefined;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /**
   * Runs `work` as `inErrorScopes` does, and returns what it returned.
   * @throws what `work` throws, or an error of earlier work that is known by now; `error` has all
   *   of them.
   */
  run<T>(work: () => T): T {
    if (this.#known !== undefined) throw this.#known;
    const { value, thrown, found } = runScoped(this.#device, work);
    this.#add(found);
    if (thrown !== undefined) throw thrown;
    return value as T;
  }

  /** Waits for `promise`, the device's own; its rejection counts as an error, too. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    this.#add(
      promise.then(
        () => undefined,
        (error: Error) => error,
      ),
    );
    return promise;
  }

  /**
   * The first error of all that was run; want of memory before others, which it may have caused.
   */
  async error(): Promise<Error | undefined> {
    const errors = (await Promise.all(this.#found)).filter((error) => error !== undefined);
    return errors.find((error) => error instanceof OutOfMemoryError) ?? errors[0];
  }

  #add(found: Promise<Error | undefined>): void {
    this.#found.push(found);
    found.then((error) => {
      this.#known ??= error;
    });
  }
}

/** Runs `work` in scopes; `found` resolves to what was wrong with it. */
function runScoped<T>(
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
  // A lost device rejects these; code that waits for the device's work learns of the loss there.
  const pop = (): Promise<GPUError | null> => device.popErrorScope().catch(() => null);
  const found = Promise.all([pop(), pop(), pop()]).then(([validation, memory, internal]) => {
    // A buffer without memory makes its uses invalid, too.
    if (memory) return new OutOfMemoryError(memory.message, { cause: memory });
    const other = validation ?? internal;
    return thrown ?? (other ? new Error(other.message, { cause: other }) : undefined);
  });
  return { value, thrown, found };
}
