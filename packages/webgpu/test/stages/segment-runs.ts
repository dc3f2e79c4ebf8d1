/** How the stages of a sort of segments run alone, on devices with subgroups: states and lists. */

import { CONSTANTS, type Kernel, type Widths } from '@keysweep/kernels/wgsl';
import type { Records } from '../twins/order.js';
import { numbersFrom, runStage } from './gpu-stage.js';
import { orderOf, ROUNDS, random } from './inputs.js';
import { type SegmentInput, segmentInput } from './segment-inputs.js';

const { STATE_WORDS } = CONSTANTS;

/** Words of fragments/segment-state.wgsl that have no name on the host. */
export const [FIRST_AT, END_AT, FEWER_AT, MORE_AT, LONGS_AT, TILES_AT, DIGITS_AT, MIXED_AT] = [
  ...[0, 1, 2, 3, 4, 5, 6, 8],
] as [number, number, number, number, number, number, number, number];

/** Kernels that do not look at keys. */
const WITHOUT_ORDER: ReadonlySet<Kernel> = new Set(['clearMarks', 'findWindows', 'cutLong']);

/** The words of `count` structs of `size` words each, from struct `first` on. */
export const structsIn = (
  words: Uint32Array | undefined,
  size: number,
  first: number,
  count: number,
): number[][] =>
  Array.from({ length: count }, (_, i) => [
    ...(words as Uint32Array).subarray(size * (first + i), size * (first + i + 1)),
  ]);

export const byFirst = (rows: number[][]): number[][] =>
  rows.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));

/** The state of segments that are known. */
export function stateOf(
  { known }: SegmentInput,
  more: Readonly<Record<number, number>>,
): Uint32Array {
  const state = new Uint32Array(STATE_WORDS);
  state[FIRST_AT] = known.first;
  state[END_AT] = known.end;
  for (const [at, number] of Object.entries(more)) state[Number(at)] = number;
  return state;
}

/** The bits of marks, counted from the first key. */
export function markWords({ known, input }: SegmentInput): Uint32Array {
  const words = new Uint32Array(Math.floor(input.count / 32) + 1);
  for (const start of known.starts) {
    const at = start - known.first;
    words[at >> 5] = (words[at >> 5] as number) | (1 << (at & 31));
  }
  return words;
}

/** The group of a list of windows; `refused` of kernels that refuse some. */
export const listGroup = (
  given: SegmentInput,
  counts: Readonly<Record<number, number>>,
  list: Uint32Array,
  refused: Uint32Array | undefined,
): Uint32Array[] => [
  stateOf(given, counts),
  markWords(given),
  list,
  ...(refused === undefined ? [] : [refused]),
];

/** How the stages run on \`device\`, for records of \`widths\`. */
export function segmentRuns(device: () => GPUDevice, widths: Widths) {
  const run = async (
    given: SegmentInput,
    kernel: Kernel,
    groups: Parameters<typeof runStage>[3],
    workgroups = 1 + random.below(5),
  ): Promise<Uint32Array[][]> => {
    const uniform = orderOf(device(), given.input);
    const order = WITHOUT_ORDER.has(kernel) ? {} : { 0: uniform };
    const all = [{ ...groups[0], ...order }, ...groups.slice(1)];
    const results = await runStage(device(), kernel, given.constantsOf(kernel), all, workgroups);
    uniform.destroy();
    return results;
  };
  const recordsIn = (group: readonly Uint32Array[] | undefined, count: number): Records => {
    const from = (words: Uint32Array | undefined, wordsPer: number): bigint[] =>
      numbersFrom(words ?? new Uint32Array(), wordsPer).slice(0, count);
    return {
      keys: from(group?.[0], widths.keyWords),
      values: widths.valueWords === 0 ? [] : from(group?.[1], widths.valueWords),
    };
  };
  const each = async (check: (given: SegmentInput, what: string) => unknown): Promise<void> => {
    for (let round = 0; round < ROUNDS; round++) {
      const given = segmentInput(device(), widths);
      await check(given, `${given.places.length - 1} segments, ${given.input.what}`);
    }
  };
  return { run, recordsIn, each };
}
