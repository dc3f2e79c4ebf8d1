/**
 * Tells callers of the progress of their calls. A page that only sorts small arrays does not
 * download the code for it, which comes with the first dispatcher.
 */

import type { CallProgress, Progress } from '@keysweep/core';
import type { WholeCall } from './whole-call.js';

let provided: typeof WholeCall | undefined;

/** Gives calls the code that tells of the whole of them. */
export function provideWholeCall(code: typeof WholeCall): void {
  provided = code;
}

/** Serves a call, and tells `options.onProgress` of all of it. */
export async function tellingAll<T, O extends { onProgress?: unknown } | undefined>(
  options: O,
  serve: (options: O) => Promise<T>,
): Promise<T> {
  const onProgress = options?.onProgress;
  // Anything but a function is refused with the other options.
  if (typeof onProgress !== 'function') return serve(options);
  const tell = onProgress as (progress: CallProgress) => void;
  let whole = provided && new provided(tell);
  // Before there is a dispatcher, a call can only wait for its memory.
  const early: Progress[] = [];
  const note = (progress: Progress): void => {
    early.push(progress);
    if (provided === undefined) return;
    whole ??= new provided(tell);
    for (const each of early.splice(0)) whole.note(each);
  };
  try {
    const result = await serve({ ...options, onProgress: note });
    if (whole !== undefined) whole.end();
    // It was done without a dispatcher, and so soon that nothing was told of it.
    else tell({ phase: 'queue', completed: 1, total: 1, fraction: 1 });
    return result;
  } finally {
    whole?.stop();
  }
}
