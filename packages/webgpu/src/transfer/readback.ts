/** The way back from the GPU: results in pieces, the plan of each sort, and the GPU's own time. */

import type { GpuRequest, Passes } from '@keysweep/core';
import { CONSTANTS, LAYOUTS } from '@keysweep/kernels/wgsl';
import type { ErrorScopes } from '../device/errors.js';
import { MapMode } from '../device/usage.js';
import { type Leases, type MemoryLimits, stagingSize, type UploadBuffer } from './pool.js';
import type { Session } from './session.js';

/** Facts about the sorts that come back with the results. */
export interface Sorted {
  readonly passes: Passes;
  /** Two keys that differ by more than this are in order; 0 if all are. */
  readonly bound: number;
  /** Milliseconds that the sorts took by the GPU's own clock; undefined if it has none. */
  readonly gpuMilliseconds: number | undefined;
}

/** Takes a result, piece by piece. */
export interface Target {
  /** Whether it is new memory, which nobody sees before the request has succeeded. */
  readonly isNew: boolean;
  /** Writes words of the result, of which the first is number `at`. */
  write(words: Uint32Array, at: number): void;
  /** Writes back the original words, as far as the caller's array still goes. Never throws. */
  putBack?(words: Uint32Array, at: number): void;
}

/** The targets of the results that are wanted. */
export interface Targets {
  /** For the keys, if there is a single column. */
  readonly keys?: Target | undefined;
  readonly payload?: Target | undefined;
}

const PLAN = LAYOUTS.Plan;

/** Bytes of `Plan` that are read: counts of passes, and the scale of an approximate sort. */
const PLAN_READ_BYTES = PLAN.spineLanes;

/** A stretch of a buffer that is mapped in one go. */
interface Piece {
  readonly bytes: number;
  /** Absent until one is free. */
  buffer?: GPUBuffer;
  /** Resolves when it is mapped; absent before that has begun. */
  mapped?: Promise<unknown>;
}

/** A piece that has its buffer from the beginning. */
interface SmallPiece extends Piece {
  readonly buffer: GPUBuffer;
}

/** A piece of a result. */
interface Part extends Piece {
  readonly target: Target;
  readonly from: GPUBuffer;
  /** Bytes of the result before it. */
  readonly offset: number;
  /** The buffer in which the upload has kept the words that it overwrites. */
  readonly kept: UploadBuffer | undefined;
  /** Those words, once they are mapped. */
  original?: Uint32Array;
}

/**
 * Whether a part is written as soon as it is mapped, while later ones are on their way. Others are
 * written when all parts of all results are mapped: so a device that is lost half way has written
 * nothing that cannot be put back.
 */
const isEarly = ({ target, kept }: Part): boolean => target.isNew || kept !== undefined;

/** Reads back the results of one piece of work, and brings them to their targets. */
export class Readback {
  readonly #memory: MemoryLimits;
  readonly #leases: Leases;
  readonly #scopes: ErrorScopes;
  readonly #columns: number;
  readonly #device: GPUDevice;
  /** For the timestamps of the sorts; undefined if there is no clock, or not enough room. */
  readonly #querySet: GPUQuerySet | undefined;
  /** In the order in which they are written. */
  readonly #parts: Part[] = [];
  /** The parts that were written over originals. */
  readonly #undoable: Part[] = [];
  #plans: SmallPiece | undefined;
  #times: SmallPiece | undefined;

  constructor(
    { device, memory, timestamps }: Session,
    columns: number,
    leases: Leases,
    scopes: ErrorScopes,
  ) {
    this.#device = device;
    this.#columns = columns;
    this.#memory = memory;
    this.#leases = leases;
    this.#scopes = scopes;
    this.#querySet = 2 * columns <= (timestamps?.count ?? 0) ? timestamps : undefined;
  }

  /** The timestamps for the pass that sorts the column `i` places before the last one. */
  timestampWrites(i: number): GPUComputePassTimestampWrites | undefined {
    const querySet = this.#querySet;
    if (querySet === undefined) return undefined;
    return { querySet, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 };
  }

  /**
   * Has `bytes` of `from` brought to `target`, by a copy in `encoder` or by submits of their own.
   * `kept` holds the original content of the target, in pieces, if it was kept.
   */
  copy(
    encoder: GPUCommandEncoder,
    from: GPUBuffer,
    bytes: number,
    target: Target,
    kept: readonly UploadBuffer[] = [],
  ): void {
    const { pieceBytes } = this.#memory;
    if (bytes <= pieceBytes) {
      const { buffer } = this.#piece(bytes);
      encoder.copyBufferToBuffer(from, 0, buffer, 0, bytes);
      this.#parts.push({ target, from, offset: 0, bytes, kept: kept[0], buffer });
      return;
    }
    for (let offset = 0; offset < bytes; offset += pieceBytes) {
      const size = Math.min(pieceBytes, bytes - offset);
      this.#parts.push({ target, from, offset, bytes: size, kept: kept[offset / pieceBytes] });
    }
  }

  copyPlan(encoder: GPUCommandEncoder, plan: GPUBuffer, column: number): void {
    this.#plans ??= this.#piece(PLAN_READ_BYTES * this.#columns);
    encoder.copyBufferToBuffer(
      plan,
      0,
      this.#plans.buffer,
      PLAN_READ_BYTES * column,
      PLAN_READ_BYTES,
    );
  }

  /** Copies the timestamps. Call it after all passes that write some. */
  copyTimes(encoder: GPUCommandEncoder): void {
    if (this.#querySet === undefined) return;
    const bytes = 16 * this.#columns;
    const resolved = this.#leases.buffer(bytes);
    this.#times = { buffer: this.#leases.readbackBuffer(resolved.size), bytes };
    encoder.resolveQuerySet(this.#querySet, 0, 2 * this.#columns, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, this.#times.buffer, 0, bytes);
  }

  /** Begins to map, once all that was recorded is submitted. */
  fetch(): void {
    if (this.#plans !== undefined) this.#map(this.#plans);
    let free = this.#memory.readbackBuffers;
    for (const part of this.#parts) {
      if (part.buffer !== undefined) this.#map(part);
      // Others are mapped all at once, and have a buffer each. Only the last piece may be shorter,
      // and no later one takes its buffer.
      else if (!isEarly(part) || free-- > 0) this.#send(part, this.#piece(part.bytes).buffer);
    }
    if (this.#times !== undefined) this.#map(this.#times);
  }

  /** Resolves when all is sorted. */
  get sorted(): Promise<unknown> {
    return Promise.resolve((this.#plans ?? this.#parts[0])?.mapped);
  }

  /**
   * Brings the results to their targets, and resolves when they are there. After every wait, and
   * before anything is written, it asks `lifecycle` whether the request still stands; after a
   * failure, `lifecycle` has it put the originals back.
   * @throws whatever `lifecycle`, a target or the error scopes throw.
   */
  async deliver(lifecycle: GpuRequest): Promise<Sorted> {
    const scopes = this.#scopes;
    const waiting = this.#parts.filter(({ mapped }) => mapped === undefined);
    // All originals are at hand before the first is overwritten.
    for (const part of this.#parts) {
      if (part.kept) part.original = await scopes.wait(part.kept.contents(part.bytes));
    }
    lifecycle.undoBy(() => this.#putBack());
    for (const part of this.#parts) {
      await scopes.wait(part.mapped as Promise<unknown>);
      if (!isEarly(part)) continue;
      lifecycle.goOn();
      const words = scopes.run(() => wordsIn(part));
      if (part.original !== undefined) this.#undoable.push(part);
      part.target.write(words, part.offset / 4);
      const next = waiting.shift();
      if (next === undefined) continue;
      // Its buffer is free again.
      scopes.run(() => {
        const buffer = part.buffer as GPUBuffer;
        buffer.unmap();
        this.#send(next, buffer);
      });
    }
    for (const piece of [this.#plans, this.#times]) {
      if (piece !== undefined) await scopes.wait(piece.mapped as Promise<unknown>);
    }
    lifecycle.goOn();
    const late = this.#parts.filter((part) => !isEarly(part));
    const { words, ...sorted } = scopes.run(() => ({
      words: late.map(wordsIn),
      ...this.#readPlans(),
      gpuMilliseconds: this.#readTimes(),
    }));
    if (this.#parts.every(({ target }) => target.isNew)) return sorted;
    lifecycle.commitBy(() => {
      for (const [i, { target, offset }] of late.entries()) {
        target.write(words[i] as Uint32Array, offset / 4);
      }
    });
    return sorted;
  }

  #putBack(): void {
    for (const { target, original, offset } of this.#undoable) {
      target.putBack?.(original as Uint32Array, offset / 4);
    }
  }

  #map(piece: Piece): void {
    piece.mapped = (piece.buffer as GPUBuffer).mapAsync(MapMode.READ, 0, piece.bytes);
    // An earlier error says more than that it can't be mapped.
    piece.mapped.catch(() => {});
  }

  /** A part is mapped, which takes a browser a copy, while the next ones are copied. */
  #send(part: Part, buffer: GPUBuffer): void {
    const encoder = this.#device.createCommandEncoder({ label: 'keysweep readback' });
    encoder.copyBufferToBuffer(part.from, part.offset, buffer, 0, part.bytes);
    this.#device.queue.submit([encoder.finish()]);
    part.buffer = buffer;
    this.#map(part);
  }

  #readPlans(): Pick<Sorted, 'passes' | 'bound'> {
    // A workgroup sort has no plan: it counts as one pass.
    if (this.#plans === undefined) return { passes: { run: 1, skipped: 0 }, bound: 0 };
    const plans = wordsIn(this.#plans);
    let [run, skipped] = [0, 0];
    for (let at = 0; at < plans.length; at += PLAN_READ_BYTES / 4) {
      run += plans[at + PLAN.passesRun / 4] as number;
      skipped += plans[at + PLAN.passesSkipped / 4] as number;
    }
    return { passes: { run, skipped }, bound: boundOf(plans) };
  }

  #readTimes(): number | undefined {
    if (this.#times === undefined) return undefined;
    const times = new BigInt64Array(rangeOf(this.#times));
    let sum = 0;
    for (let i = 0; i < times.length; i += 2) {
      // The difference is negative if the GPU's clock was set back in between.
      sum += Math.max(0, Number((times[i + 1] as bigint) - (times[i] as bigint)));
    }
    return sum / 1e6;
  }

  #piece(bytes: number): SmallPiece {
    return { buffer: this.#leases.readbackBuffer(stagingSize(bytes)), bytes };
  }
}

const rangeOf = ({ buffer, bytes }: Piece): ArrayBuffer =>
  (buffer as GPUBuffer).getMappedRange(0, bytes);

const wordsIn = (piece: Piece): Uint32Array => new Uint32Array(rangeOf(piece));

/**
 * How far apart keys of equal codes may be: less than one step of the codes, and one rounding of
 * the fixed point, whose unit is in `fixedOf` of kernels/wgsl/fragments/order.wgsl. `Plan` holds
 * exponent and shift; the exponent is 0 if no codes were made.
 */
function boundOf(plan: Uint32Array): number {
  const exponent = plan[PLAN.scale / 4] as number;
  if (exponent === 0) return 0;
  const shift = plan[PLAN.scale / 4 + 1] as number;
  return (2 ** shift + 1) * 2 ** (exponent - 150 - CONSTANTS.FIXED_POINT_BITS);
}
