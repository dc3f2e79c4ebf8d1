/** Waiting for another thread without going to sleep. */

/**
 * Looks at the word at `address` up to `times` times; returns its value once that is not `seen`, or
 * `seen`. Looking from a kernel leaves the host's loop cold, which the engine would compile on a
 * core that the sort needs. Never sleeps: see packages/cpu/src/pool/work-queue.ts.
 */
export function spin(address: usize, seen: i32, times: u32): i32 {
  for (; times > 0; times--) {
    const now = atomic.load<i32>(address);
    if (now != seen) return now;
  }
  return seen;
}
