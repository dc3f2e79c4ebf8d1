/**
 * Reads, sorts and encodes, mostly in a thread of its own. A damaged file or the built-in sort can
 * keep a thread busy for long. The main thread stays free, so that a signal always ends the
 * command.
 */

import { SHARE_ENV, Worker, type WorkerOptions } from 'node:worker_threads';
import { type ByteSink, writeRaw } from '@keysweep/files';
import type { SortCommand } from '../arguments/command.js';
import { Failure, UsageError } from '../failure.js';
import type { Progress } from '../text/progress.js';
import type { FromJob, Job, Result } from './protocol.js';

/** With the environment of the process, by which it tells Vulkan which drivers to load. */
const OPTIONS: WorkerOptions = { env: SHARE_ENV };

/** Does one job. */
export interface Performer {
  /**
   * Does the job, whose result goes to `sink` piece by piece.
   * @throws Failure or UsageError with the message of what went wrong; what `sink` throws
   */
  run(job: Job, sink: ByteSink, progress: Progress): Promise<Result>;
  /** Ends it, whatever it does. */
  end(): Promise<void>;
}

/**
 * Who does `command`. The main thread sorts bare numbers, because another one would take time to
 * start: the sort gives its event loop a turn every few milliseconds, so that signals are heard.
 */
export function performerOf({ input, goal, backend }: SortCommand): Performer {
  const isYielding = backend === 'auto' || backend === 'cpu';
  const isHere = input.format === 'raw' && goal === 'values' && isYielding;
  return isHere ? here() : new JobThread();
}

/** The calling thread, which loads its code while other code is loaded. */
function here(): Performer {
  const loaded = import('./perform.js');
  return {
    async run(job, sink, progress) {
      const { perform } = await loaded;
      return perform(job, {
        tell: (step) => progress.update(step),
        sink,
        writeAll: (bytes) => writeAllTo(sink, bytes, progress),
        written: () => Promise.resolve(),
      });
    },
    end: () => Promise.resolve(),
  };
}

/** Writes bytes of any number, and shows how far it is. */
const writeAllTo = (sink: ByteSink, bytes: Uint8Array, progress: Progress): Promise<void> =>
  writeRaw(sink, bytes, (completed, total) =>
    progress.update({ doing: 'writing', completed, total, unit: 'bytes' }),
  );

/** A thread for one job. It loads its code while the main thread does other things. */
class JobThread implements Performer {
  readonly #worker: Worker = new Worker(new URL('./worker.js', import.meta.url), OPTIONS);

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
            return answer(writeAllTo(sink, message.bytes, progress));
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

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
