/**
 * Rows in an order, moved by all threads: the order and a source are copied into the arena, every
 * thread writes rows of the target there, and the target is copied out. One array after the other,
 * in the same memory.
 */

import {
  type BitsArray,
  bitsOf,
  copySteps,
  type GatherRequest,
  lengthOf,
  type Move,
  type TypedArray,
} from '@keysweep/core';
import { GATHER, type GatherKernel, gatherBytes } from '@keysweep/kernels/cpu';
import { copyElements } from '#copy';
import { type Pausable, type QueuePlace, queueBytes, type WorkQueue } from '../pool/work-queue.js';
import { ARENA_START, type Arena, align, MAX_ARENA_BYTES } from '../sort/arena.js';
import { type RunSteps, type Stage, takePages } from '../sort/stage.js';

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
export type RunGather = (job: GatherJob, stage: Stage) => Promise<GatherResult>;

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

/** Does thread number `thread`'s part of a job. */
export function* gatherPieces(
  { length, gather: job }: GatherJob,
  memory: WebAssembly.Memory,
  queue: Pick<WorkQueue, 'runPhase' | 'awaitStaged'>,
  thread: number,
): Pausable<GatherResult> {
  const words = new Uint32Array(memory.buffer);
  const { gather } = kernelIn(memory);
  const { blocksAt, beyondAt, orderAt, sourceAt, targetAt, rows, width } = job;
  const block = blocksAt + thread * BLOCK_BYTES;
  const fields = { order: orderAt, source: sourceAt, target: targetAt, rows, width };
  for (const [name, value] of Object.entries(fields)) {
    words[(block + GATHER[name as keyof typeof fields]) / 4] = value;
  }
  yield* queue.runPhase(0, Math.ceil(length / PIECE), (piece) => {
    queue.awaitStaged(1);
    const first = piece * PIECE;
    const isBeyond = gather(block, first, Math.min(PIECE, length - first)) !== 0;
    if (isBeyond) words[beyondAt / 4] = 1;
  });
  return { isBeyond: words[beyondAt / 4] !== 0 };
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
  const phases = 1;
  let end = ARENA_START;
  const take = (bytes: number): number => {
    const at = end;
    end = align(at + bytes);
    return at;
  };
  const queueAt = take(queueBytes(phases));
  const blocksAt = take(threads * BLOCK_BYTES);
  const beyondAt = take(4);
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
    const gather = { blocksAt, beyondAt, orderAt, sourceAt, targetAt, rows, width };
    const from = bitsOf(source);
    const to = bitsOf(target);
    const stage: Stage = (report) =>
      runSteps(
        (function* () {
          yield* copySteps(sameAt(from, buffer, sourceAt, from.length), from, 0, copyElements);
          report(1);
          // While threads are at work already.
          if (isNew) yield* takePages(to);
        })(),
      );
    const { isBeyond } = await run(
      { arena: { queueAt, phases, threads, slices: 1 }, length, gather },
      stage,
    );
    if (isBeyond) return false;
    const count = (length * width) / to.BYTES_PER_ELEMENT;
    await runSteps(copySteps(to, sameAt(to, buffer, targetAt, count), 0, copyElements));
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
