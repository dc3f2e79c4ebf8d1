/**
 * The bitonic network as passes of kernels/webgl2/merge.glsl.
 *
 * 2^m elements are sorted in stages. Stage j merges runs of 2^(j-1) elements into runs of 2^j, in j
 * steps. The first step compares elements whose numbers differ in bit j-1, the next in bit j-2, and
 * so on to bit 0. The bits of an element's number are divided into three parts:
 *
 * - The channel, the lowest 1 or 2 bits: its place in a texel. Their steps are within a texel, and
 *   are part of any pass.
 * - The slot, s = 2 or 3 bits: which of the 2^s texels of a fragment it is in.
 * - The position, all others: which fragment it belongs to.
 *
 * A fragment can do the steps of the bits that are in its slot. So each pass exchanges all bits of
 * the slot for the next ones due, and does s steps, across the end of a stage where there is one.
 * The first stages are so short that bits they need are in the slot still; their passes do fewer
 * steps.
 *
 * Source: Batcher, "Sorting networks and their applications", 1968. The exchange of bits is ours.
 */

/** Bits of an element's number that are its slot: a fragment writes 2^slotBits textures. */
export type SlotBits = 2 | 3;

/**
 * Bits of an element's number that are its channel: 2 for keys alone, 1 for keys with positions.
 */
export type ChannelBits = 1 | 2;

/**
 * Least bits of an element's number. The position then has as many bits as the slot, and textures
 * have two rows, which gpu.js needs for a second dimension.
 */
export const LEAST_BITS = 8;

/** One pass: arguments of kernels/webgl2/merge.glsl, by their names there. */
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
   * For each bit of an element's number above the channel's, its place after the last pass: in the
   * position, or, counted on from the position's bits, in the slot.
   */
  readonly places: readonly number[];
}

/** A texture of 2^bits texels is 2^columnBits wide: it is square, or twice as wide as high. */
export const columnBitsOf = (bits: number): number => Math.ceil(bits / 2);

/** Places packed in five bits each, the first one lowest. */
export const packPlaces = (places: readonly number[]): number =>
  places.reduce((all, place, i) => all | (place << (5 * i)), 0);

/** Which bits of an element's number are its slot and which its position, lowest first. */
class Layout {
  readonly slot: number[];
  readonly position: number[];

  /**
   * As kernels/webgl2/load.glsl leaves it. The position has the highest bits lowest, where they
   * stay the longest.
   */
  constructor(bits: number, slotBits: SlotBits, channelBits: ChannelBits) {
    const above = Array.from({ length: bits - channelBits }, (_, i) => channelBits + i);
    this.slot = above.slice(0, slotBits);
    this.position = above.slice(slotBits).reverse();
  }

  /**
   * Brings the bits of `group` into the slot, its first bit highest. A bit of the slot goes to the
   * place that became free, if that is coherent (see below). Else it goes to the coherent place
   * whose bit is used last, by `nextUse`, and that bit goes to the free place.
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
    return { taken: packPlaces(taken), given: packPlaces(given) };
  }

  /**
   * Whether fragments that a GPU runs together, blocks of 8 by 4, have the same bit at `place`. The
   * bits that the slot gave away say which texture to read: where neighbours differ in it, a GPU
   * reads several textures one after the other.
   */
  #isCoherent(place: number): boolean {
    const columnBits = columnBitsOf(this.position.length);
    return place < columnBits ? place >= 3 : place >= columnBits + 2;
  }

  /** Bits of an element's number as masks of the position and of the slot. */
  masks(bits: readonly number[]): Pick<Pass, 'turnedPositions' | 'turnedSlots'> {
    const maskIn = (places: readonly number[]): number =>
      bits.reduce(
        (mask, bit) => (places.includes(bit) ? mask | (1 << places.indexOf(bit)) : mask),
        0,
      );
    return { turnedPositions: maskIn(this.position), turnedSlots: maskIn(this.slot) };
  }
}

/**
 * The passes that sort 2^bits elements, after kernels/webgl2/load.glsl has sorted those of each
 * fragment.
 */
export function planNetwork(bits: number, slotBits: SlotBits, channelBits: ChannelBits): Network {
  const layout = new Layout(bits, slotBits, channelBits);
  // The bits whose steps are due, in turn. A stage ends with the lowest bit above the channel's.
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
    // Bit `stage` of its number says whether an element is inverted in that stage; none is in the
    // last.
    const turned = end === 0 || stage === bits ? [] : [stage, stage + 1];
    passes.push({ ...moves, steps: count, end, ...layout.masks(turned) });
    if (end > 0) stage++;
  }
  const all = [...layout.position, ...layout.slot];
  const places = Array.from({ length: bits - channelBits }, (_, i) => all.indexOf(channelBits + i));
  return { passes, places };
}
