/** Where the functions of one sorter get the dispatcher that serves their requests. */

import type { KeyArray, KeyType, RequestShape } from '@keysweep/core';
import type { Dispatcher } from './dispatcher.js';

/** Gives the functions of one sorter the dispatcher that serves their requests. */
export interface DispatcherSource {
  /** @throws ClosedError once the sorter was closed. */
  assertOpen(): void;
  /** Whether a request is left to the runtime's own sort at once. Call it once per request. */
  isForBuiltin(shape: RequestShape): boolean;
  /**
   * Whether bare keys are sorted at once, ascending, and nothing is to be found out about them
   * before, not even whether they are in order.
   */
  isBrief(keys: KeyArray, keyType: KeyType, length: number): boolean;
  get(): Dispatcher | Promise<Dispatcher>;
  /** The dispatcher, if it is there already. */
  readonly dispatcher: Dispatcher | undefined;
}
