/**
 * The bitonic network as passes of kernels/webgl2/merge.glsl (Batcher, "Sorting networks and their applications", 1968).
 *
 * 2^m elements are sorted in stages. Stage j merges runs of 2^(j-1) elements into runs of 2^j, in j steps: elements are
 * compared whose numbers differ in bit j-1, then j-2, and so on to bit 0. A fragment has the elements at hand that
 * differ in the bits of the slot, s of them, so it does up to s steps in a pass, and m (m + 1) / 2 steps take about an s-th
 * as many passes.
 *
 * Bits go in groups: the lowest s, the next s, and so on; fewer may be left over at the top. Each pass brings
 * one group into the slot, and the group that was there goes to the position, where the bits of a group stay together.
 */

/** Bits of an element's number that are its slot: 2^s textures are written at a time. */
export type SlotBits = 2 | 3;

/** Least bits of an element's number: a texture of positions then has two rows, as gpu.js needs for a second dimension. */
export const LEAST_BITS = 6;

/** Arguments of kernels/webgl2/merge.glsl, by their names there. */
export interface Pass {
  readonly taken: number;
  readonly given: number;
  readonly width: number;
  readonly steps: number;
  readonly turnedPositions: number;
  readonly turnedSlots: number;
}

export interface Network {
  readonly passes: readonly Pass[];
  /** Where in the position each group of bits is after the last pass, from the second group on: the slot has the first. */
  readonly offsets: readonly number[];
}

/** Bits of an element's number: the groups, lowest first; the last may have fewer bits. */
function groupsOf(bits: number, slotBits: SlotBits): number[][] {
  const groups: number[][] = [];
  for (let first = 0; first < bits; first += slotBits) {
    const length = Math.min(slotBits, bits - first);
    groups.push(Array.from({ length }, (_, i) => first + i));
  }
  return groups;
}

/** Which bits of an element's number are its slot and which its position, lowest first. */
class Layout {
  slot: readonly number[];
  readonly position: number[];
  /** The position's bits are the texture's column, from bit `columnBits` on its row. */
  readonly #columnBits: number;

  constructor(bits: number, slotBits: SlotBits) {
    const all = Array.from({ length: bits }, (_, bit) => bit);
    this.slot = all.slice(0, slotBits);
    this.position = all.slice(slotBits);
    this.#columnBits = columnBitsOf(bits - slotBits);
  }

  /** Brings `group` into the slot, for the lowest bits of the slot. */
  take(group: readonly number[]): Pick<Pass, 'taken' | 'given' | 'width'> {
    const width = group.length;
    const taken = this.position.indexOf(group[0] as number);
    this.position.splice(taken, width);
    const leaving = this.slot.slice(0, width);
    const kept = this.slot.slice(width);
    // A group of which a part left before goes on top of that part.
    const isWhole =
      kept.length === 0 && leaving.every((bit, i) => bit === (leaving[0] as number) + i);
    const given = isWhole && this.#isCoherent(taken) ? taken : this.position.length;
    this.position.splice(given, 0, ...leaving);
    this.slot = [...kept, ...group];
    return { taken, given, width };
  }

  /**
   * Whether fragments that a GPU runs together, blocks of some columns and rows, have the same bits from `place` on. These say
   * which texture to read: where neighbours differ, each reading is done eight times. At the top all agree.
   */
  #isCoherent(place: number): boolean {
    const blockBits = 3;
    const end = place + this.slot.length;
    return place >= blockBits && (end <= this.#columnBits || place >= this.#columnBits + 2);
  }

  /** Element bits as masks of position and slot. */
  masks(bits: readonly number[]): { positions: number; slots: number } {
    const maskIn = (places: readonly number[]): number =>
      bits.reduce(
        (mask, bit) => (places.includes(bit) ? mask | (1 << places.indexOf(bit)) : mask),
        0,
      );
    return { positions: maskIn(this.position), slots: maskIn(this.slot) };
  }
}

/** Bits of a texture's columns, of 2^bits texels: it is square or twice as wide as high. */
export const columnBitsOf = (bits: number): number => Math.ceil(bits / 2);

/** The passes that sort 2^bits elements, of which each 2^slotBits are sorted already, as kernels/webgl2/load.glsl leaves them. */
export function planNetwork(bits: number, slotBits: SlotBits): Network {
  const layout = new Layout(bits, slotBits);
  const groups = groupsOf(bits, slotBits);
  const passes: Pass[] = [];
  for (let stage = slotBits + 1; stage <= bits; stage++) {
    const top = Math.floor((stage - 1) / slotBits);
    for (let g = top; g >= 0; g--) {
      const group = groups[g] as readonly number[];
      const moves = layout.take(group);
      const steps = layout.masks(group.filter((bit) => bit < stage)).slots;
      // Bit `stage` of its number says whether an element is inverted; before, bit `stage` - 1 did. The last stage inverts none.
      const turned = g < top ? [] : stage < bits ? [stage - 1, stage] : [stage - 1];
      const { positions, slots } = layout.masks(turned);
      passes.push({ ...moves, steps, turnedPositions: positions, turnedSlots: slots });
    }
  }
  const offsets = groups.slice(1).map(([bit]) => layout.position.indexOf(bit as number));
  return { passes, offsets };
}
