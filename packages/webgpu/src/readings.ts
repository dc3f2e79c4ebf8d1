/** What a piece of work reads back from the GPU. */

import type { Loans } from './loans.js';
import { BufferUsage, MapMode } from './usage.js';
import type { Sorted, Work } from './work.js';

/** Bytes of `Plan` that are looked at: counts of passes, and the scale of an approximate sort. */
const PLAN_BYTES = 32;
const PLAN_WORDS = { passesRun: 4, passesSkipped: 5, exponent: 6, shift: 7 } as const;

/** What is read back: keys, payload, and the plan of each column's sort. */
export class Readings {
  readonly #work: Work;
  readonly #loans: Loans;
  #keys: Reading | undefined;
  #payload: Reading | undefined;
  #plans: Reading | undefined;

  constructor(work: Work, loans: Loans) {
    this.#work = work;
    this.#loans = loans;
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
    this.#plans ??= this.#reading(PLAN_BYTES * this.#work.columns.length);
    encoder.copyBufferToBuffer(plan, 0, this.#plans.buffer, PLAN_BYTES * column, PLAN_BYTES);
  }

  /** Resolves when everything that was copied can be read. */
  map(): Promise<unknown> {
    const readings = [this.#keys, this.#payload, this.#plans];
    return Promise.all(
      readings.map((reading) => reading?.buffer.mapAsync(MapMode.READ, 0, reading.bytes)),
    );
  }

  read(): Sorted {
    const [keys, payload] = [this.#keys, this.#payload].map(wordsIn);
    return {
      keys: keys as Uint32Array,
      payload: payload as Uint32Array,
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

  #copy(encoder: GPUCommandEncoder, from: GPUBuffer, bytes: number): Reading {
    const reading = this.#reading(bytes);
    encoder.copyBufferToBuffer(from, 0, reading.buffer, 0, bytes);
    return reading;
  }

  #reading(bytes: number): Reading {
    return {
      buffer: this.#loans.buffer(bytes, BufferUsage.MAP_READ | BufferUsage.COPY_DST),
      bytes,
    };
  }
}

/** A buffer to be mapped, and how much of it. */
interface Reading {
  readonly buffer: GPUBuffer;
  readonly bytes: number;
}

const wordsIn = (reading: Reading | undefined): Uint32Array =>
  reading === undefined
    ? new Uint32Array(0)
    : new Uint32Array(reading.buffer.getMappedRange(0, reading.bytes));

/**
 * Keys whose codes are equal are less than one code step, and one rounding of the fixed point, apart: see
 * codeOf in kernels/wgsl/order.wgsl. The fixed point's unit is 2^(exponent - 156).
 */
function boundOf(plan: Uint32Array): number {
  const [exponent, shift] = [plan[PLAN_WORDS.exponent] as number, plan[PLAN_WORDS.shift] as number];
  return (2 ** shift + 1) * 2 ** (exponent - 156);
}
