/**
 * The engine, by what it has and does. A first sort asks here instead of runtime.ts, because a page
 * takes 0.3 ms to name its browser, and Node as long as a sort of 10,000 keys to have a
 * `navigator`.
 */

import { reverseArray, sortArray } from '@keysweep/core';
import type { Globals } from './runtime.js';

const realm = globalThis as Globals;

/** Whether the engine's own sort makes one NaN of all, as only JavaScriptCore's does. */
export const losesNaNBits: boolean = tryOwnSort();

/** Sorts a signalling and a quiet NaN. An engine does to other widths what it does to this one. */
function tryOwnSort(): boolean {
  const bits = Uint32Array.of(0x7f800001, 0xffc00123);
  const before = `${bits}`;
  const keys = new Float32Array(bits.buffer);
  sortArray(keys);
  reverseArray(keys);
  sortArray(bits);
  return `${bits}` !== before;
}

/** SpiderMonkey is the one engine that has such errors. */
export const isSpiderMonkey: boolean = 'InternalError' in realm;

/** Engines with a radix sort: see runtime.ts. */
export const hasRadixSort = (): boolean =>
  isSpiderMonkey || realm.process?.versions?.bun !== undefined;

/** Whether this is V8 in a browser: another library sorts there than in Node. */
export const isV8OfBrowser = (): boolean =>
  realm.process?.versions?.node === undefined && !isSpiderMonkey && !losesNaNBits;
