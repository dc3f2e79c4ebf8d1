/** Cleans up when a signal ends the process. */

/** Those that end a program. */
export const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const cleanups = new Set<() => void>();

function leave(signal: NodeJS.Signals): void {
  for (const cleanup of cleanups) cleanup();
  for (const name of SIGNALS) process.off(name, leave);
  // Without the handlers the signal has its default effect. A shell or a supervisor then sees a
  // process ended by that signal rather than an exit code.
  process.kill(process.pid, signal);
}

/**
 * Calls `cleanup`, which must be synchronous, when SIGINT, SIGTERM or SIGHUP ends the process.
 * Returns a function that removes it again.
 */
export function onInterrupt(cleanup: () => void): () => void {
  if (cleanups.size === 0) for (const name of SIGNALS) process.on(name, leave);
  cleanups.add(cleanup);
  return () => {
    cleanups.delete(cleanup);
    if (cleanups.size === 0) for (const name of SIGNALS) process.off(name, leave);
  };
}

/**
 * Does `work`, whose signal is aborted when SIGINT, SIGTERM or SIGHUP comes. When the work has
 * ended after that, the signal has its default effect. A second one has it at once.
 */
export async function untilInterrupt(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ending = new AbortController();
  let came: NodeJS.Signals | undefined;
  const interrupt = (signal: NodeJS.Signals): void => {
    came = signal;
    forget();
    ending.abort(new Error(`ended by ${signal}`));
  };
  const forget = (): void => {
    for (const name of SIGNALS) process.off(name, interrupt);
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  try {
    await work(ending.signal);
  } finally {
    forget();
    if (came !== undefined) process.kill(process.pid, came);
  }
}
