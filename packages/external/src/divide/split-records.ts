/** Puts the records of a chunk in the order of their parts: records of any width, in TypeScript. */

import { BLOCK } from '../open/key-words.js';
import { inUnits } from '../open/layout.js';
import type { Run } from '../open/run.js';
import type { Splitters } from './splitters.js';

/** Divides a source by splitters, a chunk at a time. */
export interface Split {
  /**
   * Finds the part of each record of `chunk`, the first of which is number `place` of the source.
   * Returns how many records each part has; the next call writes over that.
   */
  classify(chunk: Uint8Array, place: number): Uint32Array;
  /**
   * Moves the records from `first` up to `end` of the chunk that was classified last to `target`:
   * those of a part, in their order, from byte `starts[part]` on, which is moved behind them.
   */
  scatter(
    chunk: Uint8Array,
    first: number,
    end: number,
    target: Uint8Array,
    starts: Uint32Array,
  ): void;
}

/** A split of records; `ids` has a byte for each record of a chunk. */
export function splitRecords(
  run: Pick<Run, 'layout' | 'keyWords'>,
  splitters: Splitters,
  ids: Uint8Array,
): Split {
  const { width } = run.layout;
  const counts = new Uint32Array(splitters.parts);
  return {
    classify(chunk, place) {
      counts.fill(0);
      const records = chunk.length / width;
      for (let first = 0; first < records; first += BLOCK) {
        const last = Math.min(first + BLOCK, records);
        const words = run.keyWords.of(chunk.subarray(first * width, last * width));
        splitters.classify(words, place + first, ids, first, counts);
      }
      return counts;
    },
    scatter(chunk, first, end, target, starts) {
      const from = inUnits(chunk.subarray(first * width, end * width), width);
      const to = inUnits(target, width);
      const own = ids.subarray(first, end);
      const unit = from.BYTES_PER_ELEMENT;
      const units = width / unit;
      for (const [part, start] of starts.entries()) starts[part] = start / unit;
      if (units === 1) scatterOnes(from, to, own, starts);
      else if (units === 2) scatterTwos(from, to, own, starts);
      else scatterMany(from, to, units, own, starts);
      for (const [part, start] of starts.entries()) starts[part] = start * unit;
    },
  };
}

type Units = Uint8Array | Uint16Array | Uint32Array;

function scatterOnes(source: Units, target: Units, ids: Uint8Array, starts: Uint32Array): void {
  for (let i = 0; i < source.length; i++) {
    const part = ids[i] as number;
    const at = starts[part] as number;
    starts[part] = at + 1;
    target[at] = source[i] as number;
  }
}

function scatterTwos(source: Units, target: Units, ids: Uint8Array, starts: Uint32Array): void {
  for (let i = 0; i < source.length; i += 2) {
    const part = ids[i >>> 1] as number;
    const at = starts[part] as number;
    starts[part] = at + 2;
    target[at] = source[i] as number;
    target[at + 1] = source[i + 1] as number;
  }
}

function scatterMany(
  source: Units,
  target: Units,
  units: number,
  ids: Uint8Array,
  starts: Uint32Array,
): void {
  for (let record = 0, from = 0; from < source.length; record++) {
    const part = ids[record] as number;
    let to = starts[part] as number;
    starts[part] = to + units;
    for (const end = from + units; from < end; ) target[to++] = source[from++] as number;
  }
}
