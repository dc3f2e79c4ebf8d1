/**
 * Rows in an order, moved by all threads, one array after the other in the same memory:
 *
 *   1. check   the order, while the calling thread copies the source into the arena
 *   2. move    pieces of the target; a calling thread that takes part copies out what is done
 */

import {
  type BitsArray,
  bitsOf,
  copySteps,
  type GatherRequest,
  lengthOf,
  type Move,
  runAtOnce,
  type TypedArray,
  touchPages,
} from '@keysweep/core';
import { GATHER, type GatherKernel, gatherBytes } from '@keysweep/kernels/cpu';
import { copyElements } from '#copy';
import { ARENA_START, type Arena, align, MAX_ARENA_BYTES } from '../arena/arena.js';
import { type Pausable, type QueuePlace, queueBytes, type WorkQueue } from '../arena/work-queue.js';
import type { RunSteps, Stage } from '../sort/arena-threads.js';
import type { OnPlaced } from '../sort/early-commit.js';

/** What every thread is told. Plain data, as a job of a sort. */
export interface GatherJob {
  readonly arena: QueuePlace & { readonly slices: 1 };
  /** Rows of the target. */
  readonly length: number;
  readonly gather: {
    /** A block for each thread. */
    readonly blocksAt: number;
    /** A word that is 1 where an index is beyond the source. */
    readonly beyondAt: number;
    /** A word for each piece, 1 once its rows are moved. */
    readonly movedAt: number;
    readonly orderAt: number;
    readonly sourceAt: number;
    readonly targetAt: number;
    /** Rows of the source. */
    readonly rows: number;
    /** Bytes of a row. */
    readonly width: number;
  };
}

/** What a gather of one array comes to. */
export interface GatherResult {
  readonly isBeyond: boolean;
}

/** Stages one job and runs it on all threads. */
export type RunGather = (job: GatherJob, stage: Stage, onPlaced: OnPlaced) => Promise<GatherResult>;

/** Rows of a piece: half a millisecond where each misses the caches. */
const PIECE = 2 ** 15;

const BLOCK_BYTES = align(GATHER.bytes);

const linked = new WeakMap<WebAssembly.Memory, GatherKernel>();

/** The kernel over a memory. Compiled by each thread that needs it: it has less than 1 KiB. */
function kernelIn(memory: WebAssembly.Memory): GatherKernel {
  let kernel = linked.get(memory);
  if (kernel === undefined) {
    const module = new WebAssembly.Module(gatherBytes());
    kernel = new WebAssembly.Instance(module, { env: { memory } })
      .exports as unknown as GatherKernel;
    linked.set(memory, kernel);
  }
  return kernel;
}

/** Does thread number `thread`'s part of a job. With `onPlaced` it tells of rows now and then. */
export function* gatherPieces(
  { length, gather: job }: GatherJob,
  memory: WebAssembly.Memory,
  queue: Pick<WorkQueue, 'runPhase' | 'awaitStaged'>,
  thread: number,
  onPlaced?: OnPlaced,
): Pausable<GatherResult> {
  const words = new Uint32Array(memory.buffer);
  const { isBeyond, gather } = kernelIn(memory);
  const { blocksAt, beyondAt, movedAt, orderAt, sourceAt, targetAt, rows, width } = job;
  const block = blocksAt + thread * BLOCK_BYTES;
  const fields = { order: orderAt, source: sourceAt, target: targetAt, rows, width };
  for (const [name, value] of Object.entries(fields)) {
    words[(block + GATHER[name as keyof typeof fields]) / 4] = value;
  }
  const pieces = Math.ceil(length / PIECE);
  const rowsOf = (piece: number): number => Math.min(PIECE, length - piece * PIECE);
  // 1.
  yield* queue.runPhase(0, pieces, (piece) => {
    if (isBeyond(block, piece * PIECE, rowsOf(piece)) !== 0) words[beyondAt / 4] = 1;
  });
  if (words[beyondAt / 4] !== 0) return { isBeyond: true };
  // 2.
  const moved = words.subarray(movedAt / 4, movedAt / 4 + pieces);
  let done = 0;
  yield* queue.runPhase(1, pieces, (piece) => {
    queue.awaitStaged(1);
    gather(block, piece * PIECE, rowsOf(piece));
    Atomics.store(moved, piece, 1);
    if (onPlaced === undefined) return;
    while (done < pieces && Atomics.load(moved, done) === 1) done++;
    onPlaced(Math.min(done * PIECE, length));
  });
  return { isBeyond: false };
}

/**
 * Moves the rows of a request in `arena`. Resolves to false where it would not fit, or where an
 * index is beyond a source: nothing was written then.
 * @throws BackendFailedError when the arena cannot grow; TypeError when an array was detached.
 */
export async function gatherInArena(
  { order, moves }: GatherRequest,
  arena: Arena,
  threads: number,
  run: RunGather,
  runSteps: RunSteps,
): Promise<boolean> {
  const length = lengthOf(order);
  const most = (of: (move: Move) => number): number => Math.max(0, ...moves.map(of));
  const phases = 2;
  let end = ARENA_START;
  const take = (bytes: number): number => {
    const at = end;
    end = align(at + bytes);
    return at;
  };
  const queueAt = take(queueBytes(phases));
  const blocksAt = take(threads * BLOCK_BYTES);
  const beyondAt = take(4);
  const movedAt = take(4 * Math.ceil(length / PIECE));
  const orderAt = take(4 * length);
  const sourceAt = take(most(({ source }) => source.byteLength));
  const targetAt = take(most((move) => length * widthOf(move)));
  if (end > MAX_ARENA_BYTES) return false;
  arena.reserve(end);
  const { buffer } = arena.memory;
  new Uint32Array(buffer, beyondAt, 1)[0] = 0;
  // So that the first array tells of an index that is beyond any of them.
  const rows = Math.min(...moves.map(rowsOf));
  await runSteps(copySteps(new Uint32Array(buffer, orderAt, length), order, 0, copyElements));
  for (const move of moves) {
    const { source, target, isNew } = move;
    const width = widthOf(move);
    const places = { blocksAt, beyondAt, movedAt, orderAt, sourceAt, targetAt };
    const gather = { ...places, rows, width };
    const from = bitsOf(source);
    const to = bitsOf(target);
    const stage: Stage = (report) =>
      runSteps(
        (function* () {
          yield* copySteps(sameAt(from, buffer, sourceAt, from.length), from, 0, copyElements);
          report(1);
          // While threads are at work already.
          if (isNew) yield* touchPages(to);
        })(),
      );
    const perRow = width / to.BYTES_PER_ELEMENT;
    const results = sameAt(to, buffer, targetAt, length * perRow);
    let copied = 0;
    const copyOut = (end: number): Generator<undefined, void> => {
      const rows = results.subarray(copied * perRow, end * perRow);
      const at = copied * perRow;
      copied = end;
      return copySteps(to, rows as TypedArray, at, copyElements);
    };
    let thrown: { readonly error: unknown } | undefined;
    const onPlaced: OnPlaced = (end) => {
      try {
        if (thrown === undefined) runAtOnce(copyOut(end));
      } catch (error) {
        // An array was detached, which is no failure of a thread.
        thrown = { error };
      }
    };
    new Uint32Array(buffer, movedAt, Math.ceil(length / PIECE)).fill(0);
    const job = { arena: { queueAt, phases, threads, slices: 1 }, length, gather } as const;
    const { isBeyond } = await run(job, stage, onPlaced);
    if (thrown !== undefined) throw (thrown as { error: unknown }).error;
    if (isBeyond) return false;
    await runSteps(copyOut(length));
  }
  return true;
}

const widthOf = ({ source, stride }: Move): number => stride * source.BYTES_PER_ELEMENT;

const rowsOf = ({ source, stride }: Move): number => lengthOf(source) / stride;

/** A view of the class of an array. */
function sameAt(like: BitsArray, buffer: ArrayBufferLike, at: number, length: number): TypedArray {
  const Class = like.constructor as new (
    buffer: ArrayBufferLike,
    at: number,
    length: number,
  ) => BitsArray;
  return new Class(buffer, at, length);
}
