/**
 * The bitonic network as passes of kernels/webgl2/merge.glsl (Batcher, "Sorting networks and their applications", 1968).
 *
 * 2^m elements are sorted in stages. Stage j merges runs of 2^(j-1) elements into runs of 2^j, in j steps: elements are
 * compared whose numbers differ in bit j-1, then j-2, and so on to bit 0. The lowest bits are an element's place in its texel, the
 * channel, and their steps need nothing else. For the others a fragment has the texels at hand that differ in the bits of the
 * slot, s of them. A pass brings other bits into the slot, and does as many steps as it has the bits for: s, wherever a
 * stage ends and the next begins, but in the first stages, which are so short that the slot has their bits still.
 */

/** Bits of an element's number that are its slot: 2^s textures are written at a time. */
export type SlotBits = 2 | 3;

/** Bits of an element's number that are its place in a texel: 2 for keys alone, 1 for keys with their position. */
export type ChannelBits = 1 | 2;

/** Least bits of an element's number: the position then has as many as the slot, and two rows, as gpu.js needs for a second dimension. */
export const LEAST_BITS = 8;

/** Arguments of kernels/webgl2/merge.glsl, by their names there. */
export interface Pass {
  readonly taken: number;
  readonly given: number;
  readonly steps: number;
  readonly end: number;
  readonly turnedPositions: number;
  readonly turnedSlots: number;
}

export interface Network {
  readonly passes: readonly Pass[];
  /**
   * For each bit of an element's number above the channel's, where it is after the last pass: in the position, or behind its
   * bits in the slot.
   */
  readonly places: readonly number[];
}

/** Bits of a texture's columns, of 2^bits texels: it is square or twice as wide as high. */
export const columnBitsOf = (bits: number): number => Math.ceil(bits / 2);

/** Places of five bits each, the first one lowest. */
export const packed = (places: readonly number[]): number =>
  places.reduce((all, place, i) => all | (place << (5 * i)), 0);

/** Which bits of an element's number are its slot and which its position, lowest first. */
class Layout {
  readonly slot: number[];
  readonly position: number[];

  /** As kernels/webgl2/load.glsl leaves it: the position has the highest bits lowest, where they stay for the longest. */
  constructor(bits: number, slotBits: SlotBits, channelBits: ChannelBits) {
    const above = Array.from({ length: bits - channelBits }, (_, i) => channelBits + i);
    this.slot = above.slice(0, slotBits);
    this.position = above.slice(slotBits).reverse();
  }

  /**
   * Brings `group` into the slot, its first bit highest. Where a bit was whose place is of no use, a bit goes that is not used for
   * long, by `nextUse`.
   */
  exchange(
    group: readonly number[],
    nextUse: (bit: number) => number,
  ): Pick<Pass, 'taken' | 'given'> {
    const rooms = [...this.position.keys()]
      .filter((place) => this.#isCoherent(place) && !group.includes(this.position[place] as number))
      .sort((a, b) => nextUse(this.position[a] as number) - nextUse(this.position[b] as number));
    const taken = group.toReversed().map((bit) => this.position.indexOf(bit));
    const given = taken.map((place) => (this.#isCoherent(place) ? place : (rooms.pop() ?? place)));
    for (const [i, bit] of group.toReversed().entries()) {
      const [from, to] = [taken[i] as number, given[i] as number];
      this.position[from] = this.position[to] as number;
      this.position[to] = this.slot[i] as number;
      this.slot[i] = bit;
    }
    return { taken: packed(taken), given: packed(given) };
  }

  /**
   * Whether fragments that a GPU runs together, blocks of some columns and rows, have the same bit at `place`. Bits that were
   * given say which texture to read: where neighbours differ, each reading is done several times.
   */
  #isCoherent(place: number): boolean {
    const columnBits = columnBitsOf(this.position.length);
    return place < columnBits ? place >= 3 : place >= columnBits + 2;
  }

  /** Element bits as masks of position and slot. */
  masks(bits: readonly number[]): Pick<Pass, 'turnedPositions' | 'turnedSlots'> {
    const maskIn = (places: readonly number[]): number =>
      bits.reduce(
        (mask, bit) => (places.includes(bit) ? mask | (1 << places.indexOf(bit)) : mask),
        0,
      );
    return { turnedPositions: maskIn(this.position), turnedSlots: maskIn(this.slot) };
  }
}

/** The passes that sort 2^bits elements, of which those of each fragment are sorted already, as kernels/webgl2/load.glsl leaves them. */
export function planNetwork(bits: number, slotBits: SlotBits, channelBits: ChannelBits): Network {
  const layout = new Layout(bits, slotBits, channelBits);
  // The bits whose steps are due, one after the other; a stage ends with the lowest above the channel's.
  const due: number[] = [];
  for (let stage = channelBits + slotBits + 1; stage <= bits; stage++) {
    for (let bit = stage - 1; bit >= channelBits; bit--) due.push(bit);
  }
  const passes: Pass[] = [];
  let stage = channelBits + slotBits + 1;
  for (let done = 0; done < due.length; ) {
    const next = due.slice(done, done + slotBits);
    const isHere = (bit: number, i: number): boolean =>
      layout.slot.includes(bit) || next.indexOf(bit) < i;
    const steps = next.findIndex(isHere);
    const group = steps < 0 ? next : next.slice(0, steps);
    const nextUse = (bit: number): number => {
      const at = due.indexOf(bit, done);
      return at < 0 ? due.length : at;
    };
    const others = layout.position
      .filter((bit) => !group.includes(bit))
      .sort((a, b) => nextUse(b) - nextUse(a));
    const count = group.length;
    done += count;
    const moves = layout.exchange([...group, ...others.slice(0, slotBits - count)], nextUse);
    const end = group.indexOf(channelBits) + 1;
    // Bit `stage` of its number says whether an element is inverted in that stage. The last inverts none.
    const turned = end === 0 || stage === bits ? [] : [stage, stage + 1];
    passes.push({ ...moves, steps: count, end, ...layout.masks(turned) });
    if (end > 0) stage++;
  }
  const all = [...layout.position, ...layout.slot];
  const places = Array.from({ length: bits - channelBits }, (_, i) => all.indexOf(channelBits + i));
  return { passes, places };
}
