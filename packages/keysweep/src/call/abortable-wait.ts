/** A wait for memory that the caller's signal ends. */

import { type CancelSignal, untilAborted } from '@keysweep/core';
import { sharedSignal } from './shared-signal.js';

/** Waits for `ready`. @throws the signal's reason as soon as it aborts. */
export const abortableWait = (ready: Promise<unknown>, signal: CancelSignal): Promise<unknown> =>
  untilAborted(ready, sharedSignal(signal));
