/** The page's side of the worker that reads a file. */

import type { KeyArray, KeyType, Order } from 'keysweep';
import { Cancelled } from '../worker/client.js';
import type { FromReading, Opened, ToReading } from './reading-worker.js';

/** Reads one file at a time, in a worker that can be ended whatever it does. */
export class FileReading {
  #worker: Worker | undefined;
  #reject: (error: Error) => void = () => {};
  #latest: Promise<unknown> = Promise.resolve();

  /**
   * The columns of a file, and the one that is worth sorting. Reading the file before is ended, and
   * rejects with Cancelled.
   */
  async open(file: File, rawType: KeyType): Promise<Opened> {
    this.end();
    this.#worker = new Worker(new URL('./reading-worker.ts', import.meta.url), {
      type: 'module',
      name: 'keysweep file',
    });
    const answer = await this.#ask({ kind: 'open', file, rawType });
    if (answer.kind !== 'columns') throw new Error('the file was not opened');
    return answer;
  }

  /** A column of the open file, moved here without a copy. */
  async read(column: string): Promise<KeyArray> {
    const answer = await this.#ask({ kind: 'read', column });
    if (answer.kind !== 'keys') throw new Error('the file was not read');
    return answer.keys;
  }

  /** The open file again, its rows in order of a column. */
  async save(column: string, order: Order): Promise<File> {
    const answer = await this.#ask({ kind: 'save', column, order });
    if (answer.kind !== 'file') throw new Error('the file was not written');
    return answer.file;
  }

  /** Ends the worker; a request that it has not answered rejects with Cancelled. */
  end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#reject(new Cancelled('cancelled'));
  }

  /** Asks when what was asked before is answered. */
  #ask(message: ToReading): Promise<FromReading> {
    const worker = this.#worker;
    const answer = this.#latest.then(() => {
      if (worker !== this.#worker) throw new Cancelled('cancelled');
      return this.#askNow(worker, message);
    });
    this.#latest = answer.catch(() => undefined);
    return answer;
  }

  #askNow(worker: Worker | undefined, message: ToReading): Promise<FromReading> {
    return new Promise((resolve, reject) => {
      if (worker === undefined) return reject(new Error('no file is open: choose it again'));
      this.#reject = reject;
      worker.onmessage = ({ data }: MessageEvent<FromReading>) => {
        if (data.kind === 'failed') reject(new Error(data.message));
        else resolve(data);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        const what = event.message || 'its code could not be loaded';
        reject(new Error(`the worker that reads files has failed: ${what}`));
      };
      worker.postMessage(message);
    });
  }
}
