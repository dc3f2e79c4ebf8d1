/** Waiting for another thread without going to sleep. */

/**
 * Looks at the word at `address` up to `times` times; returns what it is once that is not `seen`, or `seen`. Looking from here and not from
 * the host leaves the host's loops cold: compiling those took more of two cores than the waits. Never sleeps: see board.ts.
 */
export function spin(address: usize, seen: i32, times: u32): i32 {
  for (; times > 0; times--) {
    const now = atomic.load<i32>(address);
    if (now != seen) return now;
  }
  return seen;
}
