/** `keysweep worker`: does jobs of sorts until it is ended. */

import { runWorker } from '@keysweep/external/cluster';
import type { WorkerCommand } from '../arguments.js';
import { untilInterrupt } from '../io/interrupt.js';
import { sorterOf } from '../job/sorter.js';

/** Carries out `command`. @throws ExternalError where the store cannot be reached */
export async function runWorkerCommand(command: WorkerCommand): Promise<void> {
  const { connection, concurrency, threads } = command;
  // One that `submit --local` has started ends when that lets go of it, which may be already.
  if (process.connected === false) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  let last = '';
  const sorter = await sorterOf({ threads });
  try {
    await untilInterrupt((signal) =>
      runWorker(connection, {
        ...(concurrency !== undefined && { concurrency }),
        sorter,
        signal,
        onError: ({ message }) => {
          // A store that is away is asked every second.
          if (message === last) return;
          last = message;
          process.stderr.write(`keysweep worker: ${message.replace(/\s*\n\s*/g, ' ')}\n`);
        },
      }),
    );
  } finally {
    await sorter.close();
  }
}
