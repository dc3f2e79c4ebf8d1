/** The network's plan, by a twin of the kernels that runs here: of both numbers of slots, which not every GPU has. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { type Pass, planNetwork, type SlotBits } from '../dist/network.js';

const random = new Random(runSeed());

/** Keys by slot and position, as kernels/webgl2 has them. */
type Slots = number[][];

const isOdd = (bits: number): boolean => bits.toString(2).replaceAll('0', '').length % 2 === 1;

/** As load.glsl: neighbours sorted, and inverted where the position is odd. */
function load(keys: readonly number[], slotBits: SlotBits): Slots {
  const slots = 2 ** slotBits;
  const fragments = Array.from({ length: keys.length / slots }, (_, p) =>
    keys
      .slice(p * slots, (p + 1) * slots)
      .map((key) => (p % 2 === 1 ? ~key >>> 0 : key))
      .sort((a, b) => a - b),
  );
  return Array.from({ length: slots }, (_, slot) => fragments.map((keys) => keys[slot] as number));
}

/** As merge.glsl. */
function merge(before: Slots, pass: Pass, slotBits: SlotBits): Slots {
  const { taken, given, width, steps, turnedPositions, turnedSlots } = pass;
  const kept = slotBits - width;
  const after: Slots = before.map(() => []);
  const positions = (before[0] as number[]).length;
  for (let own = 0; own < positions; own++) {
    const gave = (own >> given) & (2 ** width - 1);
    const rest = ((own >> (given + width)) << given) | (own & (2 ** given - 1));
    const records = before.map((_, slot) => {
      const from = gave | ((slot & (2 ** kept - 1)) << width);
      const [low, high] = [rest & (2 ** taken - 1), rest >> taken];
      const at = (high << (taken + width)) | ((slot >> kept) << taken) | low;
      const key = before[from]?.[at] as number;
      return isOdd(own & turnedPositions) !== isOdd(slot & turnedSlots) ? ~key >>> 0 : key;
    });
    for (let step = 2 ** (slotBits - 1); step > 0; step >>= 1) {
      if ((steps & step) === 0) continue;
      for (let i = 0; i < records.length; i++) {
        const [a, b] = [records[i] as number, records[i | step] as number];
        if ((i & step) === 0) [records[i], records[i | step]] = [Math.min(a, b), Math.max(a, b)];
      }
    }
    for (const [slot, key] of records.entries()) (after[slot] as number[])[own] = key;
  }
  return after;
}

/** As store.glsl. */
function store(slots: Slots, offsets: readonly number[], slotBits: SlotBits): number[] {
  const length = slots.length * (slots[0] as number[]).length;
  return Array.from({ length }, (_, own) => {
    let position = 0;
    for (const [g, offset] of offsets.entries()) {
      position |= ((own >> (slotBits * (g + 1))) & (2 ** slotBits - 1)) << offset;
    }
    return slots[own & (2 ** slotBits - 1)]?.[position] as number;
  });
}

describe.each<SlotBits>([2, 3])('with 2^%i slots', (slotBits) => {
  it.each([6, 7, 8, 9, 10, 11, 12, 13])('sorts 2^%i keys', (bits) => {
    const { passes, offsets } = planNetwork(bits, slotBits);
    const keys = Array.from({ length: 2 ** bits }, () => random.bits());
    let slots = load(keys, slotBits);
    for (const pass of passes) slots = merge(slots, pass, slotBits);
    const sorted = keys.toSorted((a, b) => a - b);
    expect(store(slots, offsets, slotBits), `seed ${random.seed}`).toEqual(sorted);
  });

  it('takes as many passes as groups of bits that each stage goes through', () => {
    for (let bits = 6; bits <= 24; bits++) {
      let expected = 0;
      for (let stage = slotBits + 1; stage <= bits; stage++)
        expected += Math.ceil(stage / slotBits);
      const { passes, offsets } = planNetwork(bits, slotBits);
      expect(passes.length).toBe(expected);
      // Two numbers of 6 places of 5 bits each hold them.
      expect(offsets.length).toBeLessThanOrEqual(12);
      expect(Math.max(...offsets)).toBeLessThan(32);
    }
  });
});
