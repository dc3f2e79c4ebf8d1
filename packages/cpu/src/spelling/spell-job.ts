/**
 * Strings that threads spell, text after text, while the calling thread makes the next ones: only
 * it can read strings. A calling thread that takes part helps once all texts are made.
 */

import { checked, pauses, runInSlices, type SpellRequest, type SpeltText } from '@keysweep/core';
import { SPELLING, type SpellingKernel } from '@keysweep/kernels/cpu';
import { ARENA_START, type Arena, align } from '../arena/arena.js';
import { type Pausable, type QueuePlace, queueBytes, type WorkQueue } from '../arena/work-queue.js';
import type { Stage } from '../sort/arena-threads.js';
import {
  Rooms,
  resultsAt,
  TEXT_BYTES,
  takeLetters,
  takeResults,
  takeSymbols,
  writeFields,
  writeLetters,
  writeText,
} from './blocks.js';
import { spellingModule } from './speller.js';

/** What every thread is told. Plain data, as a job of a sort. */
export interface SpellJob {
  /** A text is a slice, and a piece of work. */
  readonly arena: QueuePlace & { readonly slices: number };
  /** Strings. */
  readonly length: number;
  readonly spelling: {
    /** Where the room of one text begins; the next one is TEXT_STEP bytes further on. */
    readonly textsAt: number;
    /** Where a thread's own room begins; the next one is OWN_STEP bytes further on. */
    readonly ownAt: number;
  };
}

export interface SpellResult {
  readonly isSpelt: true;
}

/** Stages a job and runs it on all threads. */
export type RunSpelling = (job: SpellJob, stage: Stage) => Promise<SpellResult>;

/** Fewer strings take the calling thread no longer than messages to workers and back. */
const SPELT_FROM = 2 ** 16;

/**
 * The most texts of a job: some 30 ms. The rest is for another job, so that requests of others come
 * between.
 */
const TEXTS = 64;

/** Bytes of the texts of a job. Another text has to fit, however long it is. */
const ALL_TEXT_BYTES = 2 ** 22 + TEXT_BYTES;

/** It takes the calling thread as long to make a text as it takes one other to spell it. */
const MAX_THREADS = 3;

/** All that is of one text, but for its bytes, from `start` on. */
function placesOfText(start: number) {
  const rooms = new Rooms(start);
  const { take } = rooms;
  return { block: take(SPELLING.bytes), counts: take(16), results: takeResults(take), rooms };
}

// Words at `counts`.
/** Strings of the text. */
const STRINGS = 0;
/** The strings that could be spelt. */
const SPELT = 1;
const SYMBOLS = 2;

const TEXT_STEP = align(placesOfText(0).rooms.end);

/** What a thread needs for itself, from `start` on. */
function placesOfThread(start: number) {
  const rooms = new Rooms(start);
  return { symbolsAt: takeSymbols(rooms.take), rooms };
}

const OWN_STEP = align(placesOfThread(0).rooms.end);

const linked = new WeakMap<WebAssembly.Memory, SpellingKernel>();

function kernelIn(memory: WebAssembly.Memory): SpellingKernel {
  let kernel = linked.get(memory);
  if (kernel === undefined) {
    const { exports } = new WebAssembly.Instance(spellingModule(), { env: { memory } });
    kernel = exports as unknown as SpellingKernel;
    linked.set(memory, kernel);
  }
  return kernel;
}

/** Does thread number `thread`'s part of a job. */
export function* spellTexts(
  { arena: { slices }, spelling: { textsAt, ownAt } }: SpellJob,
  memory: WebAssembly.Memory,
  queue: Pick<WorkQueue, 'runPhase' | 'awaitStaged'>,
  thread: number,
): Pausable<SpellResult> {
  const { buffer } = memory;
  const { spell } = kernelIn(memory);
  const { symbolsAt } = placesOfThread(ownAt + thread * OWN_STEP);
  const ends = new Uint32Array(buffer, symbolsAt.ends);
  yield* queue.runPhase(0, slices, (slice) => {
    queue.awaitStaged(slice + 1);
    const { block, counts } = placesOfText(textsAt + slice * TEXT_STEP);
    const words = new Uint32Array(buffer, counts, 3);
    const strings = words[STRINGS] as number;
    if (strings === 0) return;
    writeFields(buffer, block, symbolsAt);
    words[SPELT] = spell(block, strings);
    words[SYMBOLS] = ends[strings - 1] as number;
  });
  return { isSpelt: true };
}

/**
 * Spells the first strings of a request in `arena`. Resolves to false if there are too few, or if
 * not even one of them makes a text.
 * @throws BackendFailedError when the arena cannot grow; the signal's reason; what `run` throws.
 */
export async function spellInArena(
  { letters, plan, first, count, signal, text, take }: SpellRequest,
  arena: Arena,
  maxThreads: number,
  run: RunSpelling,
): Promise<boolean> {
  if (count < SPELT_FROM) return false;
  const threads = Math.min(maxThreads, MAX_THREADS);
  const { stem, perHalf } = plan;
  const rooms = new Rooms(ARENA_START);
  const phases = 1;
  const queueAt = rooms.take(queueBytes(phases));
  const lettersAt = takeLetters(letters, rooms.take);
  const stemAt = rooms.take(stem.length);
  const place = (bytes: number): number => {
    rooms.end = align(rooms.end);
    return rooms.take(bytes);
  };
  const textsAt = place(TEXTS * TEXT_STEP);
  const ownAt = place(threads * OWN_STEP);
  const bytesAt = place(ALL_TEXT_BYTES);
  arena.reserve(rooms.end);
  const { buffer } = arena.memory;
  const fields = {
    ...writeLetters(buffer, lettersAt, letters),
    ...lettersAt,
    stem: stemAt,
    stemLength: stem.length,
    perHalf,
    at: 0,
  };
  new Uint8Array(buffer, stemAt).set(stem);
  const placesOf = (slice: number) => placesOfText(textsAt + slice * TEXT_STEP);
  let made = 0;
  const makeTexts = function* (report: (slices: number) => void): Generator<undefined, void> {
    let next = first;
    let room = bytesAt;
    for (; made < TEXTS && room + TEXT_BYTES <= rooms.end; made++) {
      const some = text(next);
      if (some === undefined) break;
      const { block, counts, results } = placesOf(made);
      writeText(buffer, { text: room, lengths: results.lengths }, some);
      writeFields(buffer, block, { ...fields, ...results, text: room, first: next });
      new Uint32Array(buffer, counts)[STRINGS] = some.lengths.length;
      next += some.lengths.length;
      room += some.bytes.length;
      report(made + 1);
      yield;
    }
    for (let slice = made; slice < TEXTS; slice++) {
      new Uint32Array(buffer, placesOf(slice).counts)[STRINGS] = 0;
    }
    report(TEXTS);
  };
  const check = (): void => {
    if (signal?.aborted) throw signal.reason;
  };
  const job: SpellJob = {
    arena: { queueAt, phases, threads, slices: TEXTS },
    length: count,
    spelling: { textsAt, ownAt },
  };
  await run(job, (report) => runInSlices(checked(makeTexts(report), check), pauses()));
  if (made === 0) return false;
  const spelt = Array.from({ length: made }, (_, slice): SpeltText => {
    const { counts, results } = placesOf(slice);
    const [strings, own, symbolCount] = new Uint32Array(buffer, counts, 3) as unknown as [
      strings: number,
      spelt: number,
      symbols: number,
    ];
    return { symbolCount, ...resultsAt(buffer, results, strings, own) };
  });
  take(spelt, new Uint8Array(buffer, lettersAt.seen, letters.count ** 3));
  return true;
}
