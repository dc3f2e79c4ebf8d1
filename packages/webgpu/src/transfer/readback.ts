/** What a piece of work reads back from the GPU. */

import { MapMode } from '../device/usage.js';
import type { Loans } from './leases.js';
import type { Memory } from './memory.js';
import { roomFor } from './pool.js';
import { Stopwatch } from './stopwatch.js';
import type { Sorted, Work } from './work.js';

/** Bytes of `Plan` that are looked at: counts of passes, and the scale of an approximate sort. */
const PLAN_BYTES = 32;
const PLAN_WORDS = { passesRun: 4, passesSkipped: 5, exponent: 6, shift: 7 } as const;

/**
 * What is read back: keys, payload, the plan of each column's sort, and how long they took. All of it lies in the host's memory before any
 * is looked at: a device that is lost half way has told nothing, and the caller's arrays are written in one go.
 */
export class Readings {
  readonly #work: Work;
  readonly #memory: Memory;
  readonly #loans: Loans;
  readonly #stopwatch: Stopwatch;
  #keys: readonly Piece[] = [];
  #payload: readonly Piece[] = [];
  #plans: Piece | undefined;
  /** Pieces that are still to be copied, one submit each. */
  #uncopied: { readonly from: GPUBuffer; readonly offset: number; readonly piece: Piece }[] = [];
  #first: Promise<unknown> = Promise.resolve();
  #all: Promise<unknown> = Promise.resolve();

  constructor(work: Work, memory: Memory, loans: Loans, timestamps: GPUQuerySet | undefined) {
    this.#work = work;
    this.#memory = memory;
    this.#loans = loans;
    this.#stopwatch = new Stopwatch(timestamps, work.columns.length, loans);
  }

  /** What the pass that sorts the column that is `i`th from the last has to write. */
  timestampWrites(i: number): GPUComputePassTimestampWrites | undefined {
    return this.#stopwatch.writes(i);
  }

  /** After all passes that write some. */
  copyTimes(encoder: GPUCommandEncoder): void {
    this.#stopwatch.fetch(encoder);
  }

  /** What the GPU took, once everything can be read; undefined where it does not tell. */
  get gpuMilliseconds(): number | undefined {
    return this.#stopwatch.milliseconds;
  }

  copyKeys(encoder: GPUCommandEncoder, keys: GPUBuffer): void {
    this.#keys = this.#copy(encoder, keys, this.#work.columns[0].words.byteLength);
  }

  copyPayload(encoder: GPUCommandEncoder, values: GPUBuffer): void {
    const { payload, count } = this.#work;
    const wordsPer = payload === 'index' ? 1 : (payload?.wordsPer ?? 0);
    this.#payload = this.#copy(encoder, values, 4 * wordsPer * count);
  }

  copyPlan(encoder: GPUCommandEncoder, plan: GPUBuffer, column: number): void {
    this.#plans ??= this.#piece(PLAN_BYTES * this.#work.columns.length);
    encoder.copyBufferToBuffer(plan, 0, this.#plans.buffer, PLAN_BYTES * column, PLAN_BYTES);
  }

  /** Begins to bring everything here, once all that was recorded is submitted. */
  fetch(device: GPUDevice): void {
    const maps: Promise<unknown>[] = [];
    const map = ({ buffer, bytes }: Piece): void => {
      maps.push(buffer.mapAsync(MapMode.READ, 0, bytes));
    };
    if (this.#plans !== undefined) map(this.#plans);
    // A piece's mapping, which takes a browser a copy, goes on while the next ones are copied.
    for (const { from, offset, piece } of this.#uncopied) {
      const encoder = device.createCommandEncoder({ label: 'keysweep readback' });
      encoder.copyBufferToBuffer(from, offset, piece.buffer, 0, piece.bytes);
      device.queue.submit([encoder.finish()]);
      map(piece);
    }
    for (const pieces of [this.#keys, this.#payload]) if (pieces.length === 1) pieces.forEach(map);
    maps.push(this.#stopwatch.map());
    this.#first = Promise.resolve(maps[0]);
    this.#all = Promise.all(maps);
    // What was wrong before says more than that there is nothing to map.
    this.#first.catch(() => {});
    this.#all.catch(() => {});
  }

  /** Resolves when all is sorted. */
  get sorted(): Promise<unknown> {
    return this.#first;
  }

  /** Resolves when everything can be read. */
  get fetched(): Promise<unknown> {
    return this.#all;
  }

  read(): Sorted {
    return {
      keys: this.#keys.map(wordsIn),
      payload: this.#payload.map(wordsIn),
      ...this.#readPlans(),
    };
  }

  #readPlans(): Pick<Sorted, 'passes' | 'bound'> {
    // What one workgroup sorts, it sorts in one go.
    if (this.#plans === undefined) return { passes: { run: 1, skipped: 0 }, bound: 0 };
    const plans = wordsIn(this.#plans);
    let [run, skipped] = [0, 0];
    for (let at = 0; at < plans.length; at += PLAN_BYTES / 4) {
      run += plans[at + PLAN_WORDS.passesRun] as number;
      skipped += plans[at + PLAN_WORDS.passesSkipped] as number;
    }
    const bound = this.#work.approximate ? boundOf(plans) : 0;
    return { passes: { run, skipped }, bound };
  }

  /** One piece is copied by `encoder`, several by submits of their own. */
  #copy(encoder: GPUCommandEncoder, from: GPUBuffer, bytes: number): Piece[] {
    const { pieceBytes } = this.#memory;
    if (bytes <= pieceBytes) {
      const piece = this.#piece(bytes);
      encoder.copyBufferToBuffer(from, 0, piece.buffer, 0, bytes);
      return [piece];
    }
    const pieces: Piece[] = [];
    for (let offset = 0; offset < bytes; offset += pieceBytes) {
      const piece = this.#piece(Math.min(pieceBytes, bytes - offset), pieceBytes);
      this.#uncopied.push({ from, offset, piece });
      pieces.push(piece);
    }
    return pieces;
  }

  #piece(bytes: number, size: number = roomFor(bytes)): Piece {
    return { buffer: this.#loans.readbackBuffer(size), bytes };
  }
}

/** A buffer to be mapped, and how much of it. */
interface Piece {
  readonly buffer: GPUBuffer;
  readonly bytes: number;
}

const wordsIn = ({ buffer, bytes }: Piece): Uint32Array =>
  new Uint32Array(buffer.getMappedRange(0, bytes));

/**
 * Keys whose codes are equal are less than one code step, and one rounding of the fixed point, apart: see
 * codeOf in kernels/wgsl/fragments/order.wgsl. The fixed point's unit is 2^(exponent - 156).
 */
function boundOf(plan: Uint32Array): number {
  const [exponent, shift] = [plan[PLAN_WORDS.exponent] as number, plan[PLAN_WORDS.shift] as number];
  return (2 ** shift + 1) * 2 ** (exponent - 156);
}
