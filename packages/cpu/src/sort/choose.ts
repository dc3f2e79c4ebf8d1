/**
 * Rows that are chosen by a bit each: the calling thread stages the keys of all rows where records
 * will lie, slice by slice, and all threads bring the keys of chosen rows, with the rows' numbers, to
 * where keys and payloads of pairs are staged.
 */

import { type ChosenRows, countOnes, type SortRequest } from '@keysweep/core';
import { surveyAt } from '../arena/layout.js';
import type { Pausable } from '../arena/work-queue.js';
import type { Choosing, Job, JobContext } from './job-context.js';

/** Of how many rows one has to be chosen, at least, for keys of all rows to be staged. */
export const CHOSEN_SHARE = 4;

/** A slice of the words that hold the bits of `rows` rows. */
function wordsOf({ arena }: Job, slice: number, rows: number): readonly [from: number, to: number] {
  const words = Math.ceil(rows / 32);
  const at = (s: number): number => Math.floor((words * s) / arena.slices);
  return [at(slice), at(slice + 1)];
}

/** Bytes of the keys of all rows, and of the bits after them: these lie where records will be. */
function choiceBytes({ columns: [keys], chosen }: SortRequest): number {
  if (chosen === undefined) return 0;
  return Math.max(4, keys.BYTES_PER_ELEMENT) * chosen.rows + chosen.words.byteLength;
}

/** Bits lie after the keys of all rows. */
const bitsAt = ({ arena, plan }: Job, rows: number): number =>
  arena.recordsAt + plan.keyBytes * rows;

/**
 * Copies bits into an arena, and how many rows are chosen before each slice to where its survey
 * will be. Returns which rows are in a slice.
 */
function stageBits(
  buffer: ArrayBufferLike,
  job: Job,
  { words, rows }: ChosenRows,
): (slice: number) => readonly [first: number, count: number] {
  const target = new Int32Array(buffer);
  target.set(words, bitsAt(job, rows) / 4);
  let chosen = 0;
  for (let slice = 0; slice < job.arena.slices; slice++) {
    target[surveyAt(job.arena, slice) / 4] = chosen;
    chosen += countOnes(words, ...wordsOf(job, slice, rows));
  }
  return (slice) => {
    const [from, to] = wordsOf(job, slice, rows);
    return [32 * from, Math.min(32 * to, rows) - 32 * from];
  };
}

/** Brings the chosen keys of a job, and their rows, to where the survey and packing read them. */
function* chooseKeys({ job, words, runPhase, awaitStaged }: JobContext): Pausable<void> {
  const { arena, plan, rows: count, keysAt, valuesAt } = job;
  if (count === undefined) return;
  const keys = words.subarray(keysAt / 4, valuesAt / 4);
  const rows = words.subarray(valuesAt / 4);
  const all = words.subarray(arena.recordsAt / 4);
  const bits = new Int32Array(words.buffer, bitsAt(job, count));
  const choose = plan.keyBytes === 4 ? chooseWords : choosePairs;
  yield* runPhase(arena.slices, (slice) => {
    const [from, to] = wordsOf(job, slice, count);
    awaitStaged(slice + 1);
    const next = words[surveyAt(arena, slice) / 4] as number;
    choose(bits, from, to, all, keys, rows, next);
  });
}

// One loop for each width finds rows and copies keys. To list the rows first, and then to gather
// their keys, takes a fifth longer where a tenth of 10^5 bytes are null.

/** Writes keys of one word, and their rows, from number `next` on. */
function chooseWords(
  bits: Int32Array,
  from: number,
  to: number,
  all: Uint32Array,
  keys: Uint32Array,
  rows: Uint32Array,
  next: number,
): void {
  let end = next;
  for (let at = from; at < to; at++) {
    const last = 32 * at + 31;
    let word = bits[at] as number;
    while (word !== 0) {
      const lowest = word & -word;
      const row = last - Math.clz32(lowest);
      word ^= lowest;
      rows[end] = row;
      keys[end] = all[row] as number;
      // `| 0`: no engine has to look whether the sum is still an integer of 32 bits.
      end = (end + 1) | 0;
    }
  }
}

/** Writes keys of two words, and their rows, from number `next` on. */
function choosePairs(
  bits: Int32Array,
  from: number,
  to: number,
  all: Uint32Array,
  keys: Uint32Array,
  rows: Uint32Array,
  next: number,
): void {
  let end = next;
  for (let at = from; at < to; at++) {
    const last = 32 * at + 31;
    let word = bits[at] as number;
    while (word !== 0) {
      const lowest = word & -word;
      const row = last - Math.clz32(lowest);
      word ^= lowest;
      rows[end] = row;
      keys[2 * end] = all[2 * row] as number;
      keys[2 * end + 1] = all[2 * row + 1] as number;
      end = (end + 1) | 0;
    }
  }
}

/** Handed to what sorts, because a program that only sorts at once has no use for the code. */
export const CHOOSING: Choosing = { bytes: choiceBytes, stage: stageBits, choose: chooseKeys };
