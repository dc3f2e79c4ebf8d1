/** The plan of the network, run by a twin of the kernels: for both numbers of slots. */

import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { type ChannelBits, type Pass, planNetwork, type SlotBits } from '../dist/network/plan.js';

const random = testRandom();

/** Keys by slot, position and channel, as kernels/webgl2 has them. */
type Slots = number[][][];

const isOdd = (bits: number): boolean => bits.toString(2).replaceAll('0', '').length % 2 === 1;

const placeOf = (places: number, i: number): number => (places >> (5 * i)) & 31;

const inverted = (texel: readonly number[]): number[] => texel.map((key) => ~key >>> 0);

/**
 * As load.glsl: sorts a fragment's keys, descending where the position's highest bit is set, and
 * inverts them where the next bit is set.
 */
function load(keys: readonly number[], slotBits: SlotBits, channelBits: ChannelBits): Slots {
  const [slots, channels] = [2 ** slotBits, 2 ** channelBits];
  const positions = keys.length / slots / channels;
  const fragments = Array.from({ length: positions }, (_, p) => {
    const own = keys.slice(p * slots * channels, (p + 1) * slots * channels);
    const isDown = p >= positions / 2;
    const isInverted = p % (positions / 2) >= positions / 4;
    const sorted = own.sort((a, b) => (isDown ? b - a : a - b));
    return isInverted ? inverted(sorted) : sorted;
  });
  return Array.from({ length: slots }, (_, slot) =>
    fragments.map((own) => own.slice(slot * channels, (slot + 1) * channels)),
  );
}

/** Exchanges keys of texels whose numbers differ in `step`, where they are in the wrong order. */
function order(texels: number[][], step: number): void {
  for (const [i, low] of texels.entries()) {
    if ((i & step) !== 0) continue;
    const high = texels[i | step] as number[];
    texels[i] = low.map((key, channel) => Math.min(key, high[channel] as number));
    texels[i | step] = low.map((key, channel) => Math.max(key, high[channel] as number));
  }
}

/** As merge.glsl. */
function merge(before: Slots, pass: Pass, slotBits: SlotBits): Slots {
  const { taken, given, steps, end, turnedPositions, turnedSlots } = pass;
  const after: Slots = before.map(() => []);
  const positions = (before[0] as number[][]).length;
  for (let own = 0; own < positions; own++) {
    let [slot, position] = [0, own];
    for (let i = 0; i < slotBits; i++) {
      const [from, to] = [placeOf(taken, i), placeOf(given, i)];
      slot |= ((own >> to) & 1) << i;
      position = (position & ~(1 << to)) | (((own >> from) & 1) << to);
      position &= ~(1 << from);
    }
    const texels = before.map((_, number) => {
      let at = position;
      for (let i = 0; i < slotBits; i++) at |= ((number >> i) & 1) << placeOf(taken, i);
      return before[slot]?.[at] as number[];
    });
    for (let step = 1; step <= steps; step++) {
      order(texels, 2 ** (slotBits - step));
      if (step !== end) continue;
      for (const [number, texel] of texels.entries()) {
        const isTurned = isOdd(own & turnedPositions) !== isOdd(number & turnedSlots);
        const sorted = texel.toSorted((a, b) => a - b);
        texels[number] = isTurned ? inverted(sorted) : sorted;
      }
    }
    for (const [number, texel] of texels.entries()) (after[number] as number[][])[own] = texel;
  }
  return after;
}

/** As store.glsl. */
function store(slots: Slots, places: readonly number[]): number[] {
  const positions = (slots[0] as number[][]).length;
  return Array.from({ length: slots.length * positions }, (_, texel) => {
    const place = places.reduce((all, place, bit) => all | (((texel >> bit) & 1) << place), 0);
    return slots[Math.floor(place / positions)]?.[place % positions] as number[];
  }).flat();
}

/** Passes at the least: load leaves the first stages done, and those within texels cost nothing. */
function leastPasses(bits: number, slotBits: SlotBits, channelBits: ChannelBits): number {
  let steps = 0;
  for (let stage = channelBits + slotBits + 1; stage <= bits; stage++) steps += stage - channelBits;
  return Math.ceil(steps / slotBits);
}

describe.each<[SlotBits, ChannelBits]>([
  [2, 1],
  [2, 2],
  [3, 1],
  [3, 2],
])('with 2^%i slots and 2^%i keys a texel', (slotBits, channelBits) => {
  it.each([8, 9, 10, 11, 12, 13, 14])('sorts 2^%i keys', (bits) => {
    const { passes, places } = planNetwork(bits, slotBits, channelBits);
    const keys = Array.from({ length: 2 ** bits }, () => random.bits());
    let slots = load(keys, slotBits, channelBits);
    for (const pass of passes) slots = merge(slots, pass, slotBits);
    const sorted = keys.toSorted((a, b) => a - b);
    expect(store(slots, places), `seed ${random.seed}`).toEqual(sorted);
  });

  it('takes hardly more passes than it needs for its steps', () => {
    for (let bits = 8; bits <= 24; bits++) {
      const { passes, places } = planNetwork(bits, slotBits, channelBits);
      const least = leastPasses(bits, slotBits, channelBits);
      expect(passes.length).toBeGreaterThanOrEqual(least);
      expect(passes.length).toBeLessThanOrEqual(least + 2);
      // Four numbers of 6 places of 5 bits each hold them.
      expect(places.length).toBeLessThanOrEqual(24);
      expect(Math.max(...places)).toBeLessThan(32);
    }
  });
});
