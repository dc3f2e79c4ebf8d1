/** The page's side of the worker: requests with results, and a new worker when one is lost. */

import type { RunEvent } from '../run/events.js';
import type { FromWorker, RequestKind, Requests, ToWorker } from './protocol.js';

/**
 * Milliseconds that a cancelled run may take to end before its worker is terminated: the built-in
 * sort cannot be interrupted.
 */
const CANCEL_GRACE = 1500;

/** Rejection of a request that was cancelled. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
  readonly onEvent: (event: RunEvent) => void;
}

export class WorkerClient {
  readonly #pending: Map<number, Pending> = new Map();
  #worker: Worker | undefined;
  #lastId = 0;

  /**
   * Sends a request, and moves the memory `moved` of its input. Rejects with Cancelled, or with an
   * Error whose message is one sentence.
   */
  request<K extends RequestKind>(
    kind: K,
    input: Requests[K]['input'],
    onEvent: (event: RunEvent) => void = () => {},
    moved: readonly ArrayBuffer[] = [],
  ): Promise<Requests[K]['result']> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onEvent });
      this.#send({ kind, id, input } as ToWorker, moved);
    });
  }

  pause(): void {
    this.#send({ kind: 'pause' });
  }

  resume(): void {
    this.#send({ kind: 'resume' });
  }

  /** Ends all requests soon: by a message, and after CANCEL_GRACE by terminating the worker. */
  cancel(): void {
    this.#send({ kind: 'cancel' });
    const worker = this.#worker;
    const running = [...this.#pending.keys()];
    setTimeout(() => {
      if (worker === this.#worker && running.some((id) => this.#pending.has(id))) {
        this.#end(new Cancelled('cancelled'));
      }
    }, CANCEL_GRACE);
  }

  #send(message: ToWorker, moved: readonly ArrayBuffer[] = []): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message, [...moved]);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      type: 'module',
      name: 'keysweep compare',
    });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      const what = event.message || 'its code could not be loaded';
      this.#end(new Error(`the worker that measures has failed: ${what}`));
    };
    return worker;
  }

  #receive(message: FromWorker): void {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    if (message.kind === 'event') {
      pending.onEvent(message.event);
      return;
    }
    this.#pending.delete(message.id);
    if (message.kind === 'result') pending.resolve(message.result as never);
    else
      pending.reject(message.cancelled ? new Cancelled('cancelled') : new Error(message.message));
  }

  /** Terminates the worker and rejects what is pending. The next request starts a new worker. */
  #end(error: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
