/**
 * Reads, sorts and encodes in a thread of its own. A damaged file or the built-in sort can keep a
 * thread busy for long. The main thread stays free, so that a signal always ends the command.
 */

import { SHARE_ENV, Worker, type WorkerOptions } from 'node:worker_threads';
import { type ByteSink, writeRaw } from '@keysweep/files';
import { Failure, UsageError } from '../failure.js';
import type { Progress } from '../text/progress.js';
import type { FromJob, Job, Result } from './protocol.js';

/** With the environment of the process, by which it tells Vulkan which drivers to load. */
const OPTIONS: WorkerOptions = { env: SHARE_ENV };

/** A thread for one job. It loads its code while the main thread does other things. */
export class JobThread {
  readonly #worker: Worker = new Worker(new URL('./worker.js', import.meta.url), OPTIONS);

  /**
   * Does the job, whose result goes to `sink` piece by piece.
   * @throws Failure or UsageError with the message of what went wrong; what `sink` throws
   */
  run(job: Job, sink: ByteSink, progress: Progress): Promise<Result> {
    const worker = this.#worker;
    const moved = job.standardInput === undefined ? [] : [job.standardInput.buffer];
    worker.postMessage(job, moved);
    return new Promise((resolve, reject) => {
      const answer = (written: Promise<void>): void => {
        written.then(() => worker.postMessage('written'), reject);
      };
      worker.on('message', (message: FromJob) => {
        switch (message.kind) {
          case 'progress':
            return progress.update(message.step);
          case 'write':
            return answer(sink.write(message.bytes));
          case 'writeAll':
            return answer(
              writeRaw(sink, message.bytes, (completed, total) =>
                progress.update({ doing: 'writing', completed, total, unit: 'bytes' }),
              ),
            );
          case 'done':
            return resolve(message);
          case 'failed':
            return reject(new (message.isUsage ? UsageError : Failure)(message.message));
        }
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
