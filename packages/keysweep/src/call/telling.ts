/**
 * Tells callers of the progress of their calls. Few ask for it, and a call that does takes a while,
 * so the code for it is loaded beside the call.
 */

import type { CallProgress, Progress } from '@keysweep/core';
import type { WholeCall } from './whole-call.js';

let loaded: typeof WholeCall | undefined;

/** Serves a call, and tells `options.onProgress` of all of it. */
export async function tellingAll<T, O extends { onProgress?: unknown } | undefined>(
  options: O,
  serve: (options: O) => Promise<T>,
): Promise<T> {
  const onProgress = options?.onProgress;
  // Anything but a function is refused with the other options.
  if (typeof onProgress !== 'function') return serve(options);
  const tell = onProgress as (progress: CallProgress) => void;
  let whole = loaded && new loaded(tell);
  const early: Progress[] = [];
  const note = (progress: Progress): void => {
    if (whole === undefined) early.push(progress);
    else whole.note(progress);
  };
  const load = async (): Promise<WholeCall> => {
    loaded ??= (await import('./whole-call.js')).WholeCall;
    whole ??= new loaded(tell);
    whole.noteAll(early.splice(0));
    return whole;
  };
  const loading = load();
  try {
    const result = await serve({ ...options, onProgress: note });
    (await loading).end();
    return result;
  } finally {
    loading.then(
      (whole) => whole.stop(),
      () => {},
    );
  }
}
