/** `keysweep worker`: does jobs of sorts until it is ended. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runWorker } from '@keysweep/cluster';
import { aloneWithGpu, childFlags, processSorter } from '@keysweep/external';
import type { WorkerCommand } from '../arguments/command.js';
import { remoteStorage } from '../io/addresses.js';
import { SIGNALS, untilInterrupt } from '../io/interrupt.js';
import { errorTeller } from '../io/terminal.js';
import { sorterOf } from '../job/sorter.js';
import { onlyGiven } from '../only-given.js';

/**
 * Carries out `command`: with a GPU in another process where others have to be hidden.
 * @throws ExternalError where the store cannot be reached, or the GPU cannot be had
 */
export async function runWorkerCommand(command: WorkerCommand): Promise<void> {
  const { connection, roots, concurrency, threads, gpu } = command;
  // The list of processes shows arguments, and so a password in --connection.
  process.title = 'keysweep worker';
  // One that `submit --local` has started ends when that lets go of it, which may be already.
  if (process.connected === false) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  if (gpu !== undefined) {
    const args = [...childFlags(), process.argv[1] as string, ...argumentsOf(command)];
    const program = [process.execPath, ...args] as const;
    const [first, ...rest] = await aloneWithGpu(gpu, program);
    if (first !== program[0]) return runProgram(first, rest, connection);
  }
  const sorter = gpu === undefined ? await sorterOf({ threads }) : await processSorter({ gpu });
  try {
    await untilInterrupt((signal) =>
      runWorker(connection, {
        roots,
        ...onlyGiven({ concurrency }),
        sorter,
        storage: remoteStorage(),
        signal,
        // A store that is away is asked every second, and fails in the same way each time.
        onError: errorTeller('keysweep worker'),
      }),
    );
  } finally {
    await sorter.close();
  }
}

/** What starts the same worker where it sees one GPU, but for the address of the store. */
function argumentsOf({ roots, concurrency }: WorkerCommand): string[] {
  const options = Object.entries({ gpu: 0, concurrency });
  const given = options.filter(([, value]) => value !== undefined);
  return [
    'worker',
    ...given.flatMap(([name, value]) => [`--${name}`, `${value}`]),
    ...roots.map((root) => `--root=${root}`),
  ];
}

/** Runs a worker in place of this process, and ends as it does. */
async function runProgram(
  command: string,
  args: readonly string[],
  connection: string,
): Promise<void> {
  // In a group of its own: it hears of an interrupt once, from here. It ends with this process.
  const worker = spawn(command, args, {
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // The address may hold a password, which a list of processes would show.
    env: { ...process.env, KEYSWEEP_CONNECTION: connection },
  });
  const pass = (signal: NodeJS.Signals): void => void worker.kill(signal);
  for (const name of SIGNALS) process.on(name, pass);
  const [code, signal] = await once(worker, 'exit');
  for (const name of SIGNALS) process.off(name, pass);
  if (signal !== null) process.kill(process.pid, signal);
  // It has said why.
  else if (code !== 0) process.exit(code);
}
