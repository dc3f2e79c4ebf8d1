/** The words of floats that may go elsewhere than their bits say: NaNs, and zeros that tie. */

import { type KeyArray, type KeyType, keyTraits, type Order, orderWords } from '@keysweep/core';

/** The word of −0, +0 or NaN; every NaN has the same. `high` is undefined if 32 bits are enough. */
export function wordOf(
  value: number,
  keyType: KeyType,
  order: Order,
): { readonly low: number; readonly high: number | undefined } {
  const { bits } = keyTraits(keyType);
  const keys: KeyArray = bits === 64 ? Float64Array.of(value) : Float32Array.of(value);
  // Not every runtime has an array of half floats. These have the same highest bits in 32.
  const own = bits === 16 ? new Uint16Array(keys.buffer, 2) : keys;
  const room = { lows: new Uint32Array(1), highs: new Uint32Array(bits >> 6) };
  const { lows, highs } = orderWords({ keys: own, keyType, order }, room);
  return { low: lows[0] as number, high: highs[0] };
}
