/** The way back from the GPU: results in pieces, the plan of each sort, and the GPU's own time. */

import type { BitsArray, Passes, TypedArray } from '@keysweep/core';
import { CONSTANTS, LAYOUTS } from '@keysweep/kernels/wgsl';
import { MapMode } from '../device/usage.js';
import { allocationSize, type Leases, type MemoryLimits } from './pool.js';

/**
 * What came back. The words are the GPU's own memory, in pieces one behind the other, until it is
 * unmapped.
 */
export interface Sorted {
  /** The words of the keys, of one column alone. */
  readonly keys: readonly Uint32Array[];
  readonly payload: readonly Uint32Array[];
  readonly passes: Passes;
  /** Two keys that differ by more are in order; 0 where all are. */
  readonly bound: number;
  /** What the GPU took for the sorts, by its own clock; undefined where it has none. */
  readonly gpuMilliseconds: number | undefined;
}

const PLAN = LAYOUTS.Plan;

/** Bytes of `Plan` that are read: counts of passes, and the scale of an approximate sort. */
const PLAN_BYTES = PLAN.spineLanes;

/** A buffer to be mapped, and how much of it. */
interface Piece {
  readonly buffer: GPUBuffer;
  readonly bytes: number;
}

/**
 * What one piece of work reads back. All of it is mapped before any is read: a device that is lost
 * half way has written nothing to the caller's arrays.
 */
export class Readback {
  readonly #memory: MemoryLimits;
  readonly #leases: Leases;
  readonly #columns: number;
  /** Where the timestamps of the sorts go; undefined where there is no room, or no clock. */
  readonly #querySet: GPUQuerySet | undefined;
  #keys: readonly Piece[] = [];
  #payload: readonly Piece[] = [];
  #plans: Piece | undefined;
  #times: Piece | undefined;
  /** Pieces that are still to be copied, in a submit each. */
  #uncopied: { readonly from: GPUBuffer; readonly offset: number; readonly piece: Piece }[] = [];
  #first: Promise<unknown> = Promise.resolve();
  #all: Promise<unknown> = Promise.resolve();

  constructor(
    columns: number,
    memory: MemoryLimits,
    leases: Leases,
    timestamps: GPUQuerySet | undefined,
  ) {
    this.#columns = columns;
    this.#memory = memory;
    this.#leases = leases;
    this.#querySet = 2 * columns <= (timestamps?.count ?? 0) ? timestamps : undefined;
  }

  /** The timestamps of the pass that sorts the column that is `i`th from the last. */
  timestampWrites(i: number): GPUComputePassTimestampWrites | undefined {
    const querySet = this.#querySet;
    if (querySet === undefined) return undefined;
    return { querySet, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 };
  }

  copyKeys(encoder: GPUCommandEncoder, keys: GPUBuffer, bytes: number): void {
    this.#keys = this.#copy(encoder, keys, bytes);
  }

  copyPayload(encoder: GPUCommandEncoder, values: GPUBuffer, bytes: number): void {
    this.#payload = this.#copy(encoder, values, bytes);
  }

  copyPlan(encoder: GPUCommandEncoder, plan: GPUBuffer, column: number): void {
    this.#plans ??= this.#piece(PLAN_BYTES * this.#columns);
    encoder.copyBufferToBuffer(plan, 0, this.#plans.buffer, PLAN_BYTES * column, PLAN_BYTES);
  }

  /** Copies the timestamps: after all passes that write some. */
  copyTimes(encoder: GPUCommandEncoder): void {
    if (this.#querySet === undefined) return;
    const bytes = 16 * this.#columns;
    const resolved = this.#leases.buffer(bytes);
    this.#times = { buffer: this.#leases.readbackBuffer(resolved.size), bytes };
    encoder.resolveQuerySet(this.#querySet, 0, 2 * this.#columns, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, this.#times.buffer, 0, bytes);
  }

  /** Begins to map everything, once all that was recorded is submitted. */
  fetch(device: GPUDevice): void {
    const maps: Promise<unknown>[] = [];
    const map = ({ buffer, bytes }: Piece): void => {
      maps.push(buffer.mapAsync(MapMode.READ, 0, bytes));
    };
    if (this.#plans !== undefined) map(this.#plans);
    // A piece is mapped, which takes a browser a copy, while the next ones are copied.
    for (const { from, offset, piece } of this.#uncopied) {
      const encoder = device.createCommandEncoder({ label: 'keysweep readback' });
      encoder.copyBufferToBuffer(from, offset, piece.buffer, 0, piece.bytes);
      device.queue.submit([encoder.finish()]);
      map(piece);
    }
    for (const pieces of [this.#keys, this.#payload]) if (pieces.length === 1) pieces.forEach(map);
    if (this.#times !== undefined) map(this.#times);
    this.#first = Promise.resolve(maps[0]);
    this.#all = Promise.all(maps);
    // An earlier error says more than that nothing can be mapped.
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

  /** @throws where the device was lost since everything was mapped. */
  read(): Sorted {
    return {
      keys: this.#keys.map(wordsIn),
      payload: this.#payload.map(wordsIn),
      ...this.#readPlans(),
      gpuMilliseconds: this.#readTimes(),
    };
  }

  #readPlans(): Pick<Sorted, 'passes' | 'bound'> {
    // A workgroup sort has no plan: it counts as one pass.
    if (this.#plans === undefined) return { passes: { run: 1, skipped: 0 }, bound: 0 };
    const plans = wordsIn(this.#plans);
    let [run, skipped] = [0, 0];
    for (let at = 0; at < plans.length; at += PLAN_BYTES / 4) {
      run += plans[at + PLAN.passesRun / 4] as number;
      skipped += plans[at + PLAN.passesSkipped / 4] as number;
    }
    return { passes: { run, skipped }, bound: boundOf(plans) };
  }

  #readTimes(): number | undefined {
    if (this.#times === undefined) return undefined;
    const { buffer, bytes } = this.#times;
    const times = new BigInt64Array(buffer.getMappedRange(0, bytes));
    let sum = 0;
    for (let i = 0; i < times.length; i += 2) {
      // Negative where the GPU's clock was set back in between.
      sum += Math.max(0, Number((times[i + 1] as bigint) - (times[i] as bigint)));
    }
    return sum / 1e6;
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

  #piece(bytes: number, size: number = allocationSize(bytes)): Piece {
    return { buffer: this.#leases.readbackBuffer(size), bytes };
  }
}

const wordsIn = ({ buffer, bytes }: Piece): Uint32Array =>
  new Uint32Array(buffer.getMappedRange(0, bytes));

/**
 * How far keys of equal codes may be apart: less than one step of the codes, and one rounding of
 * the fixed point, whose unit fixedOf of kernels/wgsl/fragments/order.wgsl has. `Plan` has
 * exponent and shift; the exponent is 0 where no codes were made.
 */
function boundOf(plan: Uint32Array): number {
  const exponent = plan[PLAN.scale / 4] as number;
  if (exponent === 0) return 0;
  const shift = plan[PLAN.scale / 4 + 1] as number;
  return (2 ** shift + 1) * 2 ** (exponent - 150 - CONSTANTS.FIXED_POINT_BITS);
}

/**
 * Elements of `array`'s width from words: the inverse of `Words`. A view of `words` where they are
 * as wide.
 */
export function fromWords(words: Uint32Array, array: TypedArray, shift: number): BitsArray {
  if (array.BYTES_PER_ELEMENT >= 4) return words;
  const bits =
    array.BYTES_PER_ELEMENT === 1 ? new Uint8Array(words.length) : new Uint16Array(words.length);
  for (let i = 0; i < bits.length; i++) bits[i] = (words[i] as number) >>> shift;
  return bits;
}

/** The words of `pieces`, one behind the other, in memory of their own. */
export function joined(pieces: readonly Uint32Array[]): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    words.set(piece, at);
    at += piece.length;
  }
  return words;
}
