/** The page's end of the worker: questions with answers, and another worker where one is lost. */

import type { RunNews } from '../measure/run.js';
import type { QuestionKind, Questions, ToPage, ToWorker } from './protocol.js';

/** Milliseconds that a cancelled run may take to end before its worker is ended: a sort by the built-in can't be interrupted. */
const GRACE = 1500;

/** Rejection of a question that was cancelled. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  readonly onNews: (news: RunNews) => void;
}

export class Link {
  readonly #waiting: Map<number, Waiting> = new Map();
  #worker: Worker | undefined;
  #asked = 0;

  /** Asks the worker. Rejects with Cancelled, or with what went wrong as a sentence. */
  ask<K extends QuestionKind>(
    kind: K,
    ask: Questions[K]['ask'],
    onNews: (news: RunNews) => void = () => {},
  ): Promise<Questions[K]['answer']> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onNews });
      this.#send({ kind, id, ask } as ToWorker);
    });
  }

  pause(): void {
    this.#send({ kind: 'pause' });
  }

  resume(): void {
    this.#send({ kind: 'resume' });
  }

  /** Has what was asked end soon: by itself, or with its worker. */
  cancel(): void {
    this.#send({ kind: 'cancel' });
    const worker = this.#worker;
    const running = [...this.#waiting.keys()];
    setTimeout(() => {
      if (worker === this.#worker && running.some((id) => this.#waiting.has(id))) {
        this.#end(new Cancelled('cancelled'));
      }
    }, GRACE);
  }

  #send(message: ToWorker): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      type: 'module',
      name: 'keysweep compare',
    });
    worker.onmessage = ({ data }: MessageEvent<ToPage>) => this.#hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      const what = event.message || 'its code could not be loaded';
      this.#end(new Error(`the worker that measures has failed: ${what}`));
    };
    return worker;
  }

  #hear(message: ToPage): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    if (message.kind === 'news') {
      waiting.onNews(message.news);
      return;
    }
    this.#waiting.delete(message.id);
    if (message.kind === 'answer') waiting.resolve(message.answer as never);
    else
      waiting.reject(message.cancelled ? new Cancelled('cancelled') : new Error(message.message));
  }

  /** Ends the worker; who still waits hears why. The next question gets another. */
  #end(error: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
