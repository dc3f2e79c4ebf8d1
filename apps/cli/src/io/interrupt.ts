/** Leaving tidily when a signal ends the process. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const cleanups = new Set<() => void>();

function leave(signal: NodeJS.Signals): void {
  for (const cleanup of cleanups) cleanup();
  for (const name of SIGNALS) process.off(name, leave);
  // With the handlers gone the signal does what it does to any program, so that a shell or a
  // supervisor sees a process ended by that signal rather than an exit code.
  process.kill(process.pid, signal);
}

/**
 * Has `cleanup` called when SIGINT, SIGTERM or SIGHUP ends the process. It must be synchronous.
 * Returns a function that takes it back.
 */
export function onInterrupt(cleanup: () => void): () => void {
  if (cleanups.size === 0) for (const name of SIGNALS) process.on(name, leave);
  cleanups.add(cleanup);
  return () => {
    cleanups.delete(cleanup);
    if (cleanups.size === 0) for (const name of SIGNALS) process.off(name, leave);
  };
}
