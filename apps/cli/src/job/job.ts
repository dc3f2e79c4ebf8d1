/**
 * Reads and sorts in a thread of its own. A damaged file or the built-in sort can keep a thread
 * busy for long. The main thread stays free, so that a signal always ends the command.
 */

import { Worker } from 'node:worker_threads';
import { Failure } from '../failure.js';
import type { Progress } from '../text/progress.js';
import type { FromJob, Job } from './protocol.js';

export type Result = Pick<Extract<FromJob, { kind: 'done' }>, 'sorted' | 'report'>;

/** A thread for one job. It loads its code while the main thread does other things. */
export class JobThread {
  readonly #worker: Worker = new Worker(new URL('./worker.js', import.meta.url));

  /**
   * The sorted values, or their order. Arrays are moved between the threads, never copied.
   * @throws Failure with the message of what went wrong
   */
  run(job: Job, progress: Progress): Promise<Result> {
    const worker = this.#worker;
    const moved = job.standardInput === undefined ? [] : [job.standardInput.buffer];
    worker.postMessage(job, moved);
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromJob) => {
        if (message.kind === 'progress') progress.update(message.step);
        else if (message.kind === 'done') resolve(message);
        else reject(new Failure(message.message));
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new Failure('the thread that sorts ended without a result')));
    });
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
