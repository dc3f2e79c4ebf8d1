/** Pausing and cancelling a run: asked between sorts. */

export class Gate {
  readonly #controller = new AbortController();
  #opening: Promise<void> | undefined;
  #open: () => void = () => {};
  /** Milliseconds spent waiting here. */
  paused = 0;

  /** Ends the run, even while it sorts. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  pause(): void {
    this.#opening ??= new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  resume(): void {
    this.#opening = undefined;
    this.#open();
  }

  cancel(): void {
    this.#controller.abort(new DOMException('the run was cancelled', 'AbortError'));
    this.resume();
  }

  /** Resolves when the run may go on. @throws the signal's reason */
  async pass(): Promise<void> {
    // Pausing and cancelling are messages: they need a turn to be heard.
    await nextTask();
    const start = performance.now();
    while (this.#opening !== undefined) await this.#opening;
    this.paused += performance.now() - start;
    this.signal.throwIfAborted();
  }
}

/** Resolves in a task of its own; unlike a timer's, it comes at once. */
function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
