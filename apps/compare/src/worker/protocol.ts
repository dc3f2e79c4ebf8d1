/** The messages between the page and its worker. */

import type { KeyArray } from 'keysweep';
import type { Facts } from '../device/facts.js';
import type { RunEvent } from '../run/events.js';
import type { Settings } from '../settings/settings.js';

/** The first and the last keys of a sorted column, some of each. */
export interface Ends {
  readonly first: KeyArray;
  readonly last: KeyArray;
  /** Of the whole column. */
  readonly length: number;
}

/** The requests, each with its input and its result. */
export interface Requests {
  /** Describes this machine and this browser. */
  facts: { input: Record<never, never>; result: Facts };
  /** Runs a comparison; the result comes when it is over. */
  measure: { input: { settings: Settings }; result: undefined };
  /**
   * Measures on the keys of a column, which are moved; the settings' key type is theirs. The result
   * is the first and the last ones of them in order.
   */
  sortColumn: { input: { keys: KeyArray; settings: Settings }; result: Ends };
}
export type RequestKind = keyof Requests;

/** A request from the page, with the number that its result will carry. */
export type Request = {
  [K in RequestKind]: {
    readonly kind: K;
    readonly id: number;
    readonly input: Requests[K]['input'];
  };
}[RequestKind];

/** From the page: requests, and controls of the current run. */
export type ToWorker = Request | { readonly kind: 'pause' | 'resume' | 'cancel' };

/** From the worker. */
export type FromWorker =
  | { readonly kind: 'event'; readonly id: number; readonly event: RunEvent }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly message: string;
      readonly cancelled: boolean;
    };
