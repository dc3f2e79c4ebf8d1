/** The implicit radix sort, step by step: tiles are sorted by counting, then keys are scattered. */

import { DIGIT_BITS, placesOf } from './counters.js';
import {
  type Animation,
  type Digit,
  digitOf,
  type Frame,
  initialOrder,
  KEY_BITS,
} from './frame.js';

/** Keys of a tile: few, so that they are visible. */
const TILE = 64;

/** Bits of a pass, which takes two rounds of the tile's sort. */
const PASS_BITS = 8;
const ROUNDS = PASS_BITS / DIGIT_BITS;

/** What keysweep's kernels without subgroups do. */
const HOW =
  'Every thread counts its keys in two words: sixteen counters of 4 bits. They ' +
  'are widened to 16 bits, and one prefix sum over the tile gives all ' +
  'positions.';

/** A frame before and after each step, both in the colours of the digit that it sorts by. */
export function implicitRadix(keys: Uint16Array): Animation {
  const passes = KEY_BITS / PASS_BITS;
  const frames: Frame[] = [];
  let order = initialOrder(keys.length);
  const add = (title: string, text: string, more: Partial<Frame>): void => {
    frames.push({ title, text, order, ...more });
  };
  for (let pass = 0; pass < passes; pass++) {
    const name = `Pass ${pass + 1} of ${passes}`;
    for (let round = 0; round < ROUNDS; round++) {
      const digit = { begin: pass * PASS_BITS + round * DIGIT_BITS, bits: DIGIT_BITS };
      const which = `${name}, round ${round + 1} of ${ROUNDS}`;
      const next = `Next, each tile of ${TILE} keys is sorted by ${bitsWords(digit)}. ${HOW}`;
      add(`${which}: count in tiles`, next, { digit, tile: TILE, isCounted: true });
      order = sortTiles(keys, order, digit);
      const then =
        `Each tile is in order of ${bitsWords(digit)}; equal digits kept their ` +
        'order: the sort is stable.';
      add(`${which}: tiles sorted`, then, { digit, tile: TILE });
    }
    const digit = { begin: pass * PASS_BITS, bits: PASS_BITS };
    add(`${name}: tiles are ready`, SCATTER, { digit, tile: TILE });
    order = scatter(keys, order, digit);
    const done = `All keys are in order of their lowest ${digit.begin + digit.bits} bits.`;
    add(`${name}: keys scattered`, done, { digit });
  }
  add('Sorted', `${passes} passes, each over all keys once. No two keys were ever compared.`, {});
  return { keys, frames };
}

const SCATTER =
  'Next, the scatter. The count of each digit in every tile is known. A prefix ' +
  'sum over digits and tiles (the spine) gives the position of each group. ' +
  'Equal digits of a tile are neighbours, so they are written together.';

const bitsWords = ({ begin, bits }: Digit): string => `bits ${begin} to ${begin + bits - 1}`;

/** Sorts each tile by a digit, by implicit counting. */
function sortTiles(keys: Uint16Array, order: Uint16Array, digit: Digit): Uint16Array {
  const sorted = new Uint16Array(order.length);
  for (let start = 0; start < order.length; start += TILE) {
    const tile = order.subarray(start, start + TILE);
    const digits = Array.from(tile, (id) => digitOf(keys[id] as number, digit));
    placesOf(digits).forEach((place, i) => {
      sorted[start + place] = tile[i] as number;
    });
  }
  return sorted;
}

/** Reduce, scan, scatter: each tile's counts, their prefix sum in digit-major order, the keys. */
function scatter(keys: Uint16Array, order: Uint16Array, digit: Digit): Uint16Array {
  const tiles = Math.ceil(order.length / TILE);
  const digits = Array.from(order, (id) => digitOf(keys[id] as number, digit));
  const spine = new Uint32Array(2 ** digit.bits * tiles);
  const slotOf = (position: number): number =>
    (digits[position] as number) * tiles + Math.floor(position / TILE);
  for (let i = 0; i < order.length; i++) spine[slotOf(i)] = (spine[slotOf(i)] as number) + 1;
  let sum = 0;
  for (let slot = 0; slot < spine.length; slot++) {
    const count = spine[slot] as number;
    spine[slot] = sum;
    sum += count;
  }
  const sorted = new Uint16Array(order.length);
  for (let i = 0; i < order.length; i++) {
    const slot = slotOf(i);
    const place = spine[slot] as number;
    spine[slot] = place + 1;
    sorted[place] = order[i] as number;
  }
  return sorted;
}
