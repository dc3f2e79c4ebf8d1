/** What the GPU takes for the sorts of one piece of work, by its own clock. */

import { MapMode } from '../device/usage.js';
import type { Loans } from './leases.js';

export class Stopwatch {
  readonly #querySet: GPUQuerySet | undefined;
  readonly #columns: number;
  readonly #loans: Loans;
  #read: GPUBuffer | undefined;

  /** Times sorts of `columns`, if `querySet` is there and has room for them. */
  constructor(querySet: GPUQuerySet | undefined, columns: number, loans: Loans) {
    this.#querySet = 2 * columns <= (querySet?.count ?? 0) ? querySet : undefined;
    this.#columns = columns;
    this.#loans = loans;
  }

  /** What the pass that sorts the `i`th column, in the order of the work, has to write. */
  writes(i: number): GPUComputePassTimestampWrites | undefined {
    const querySet = this.#querySet;
    if (querySet === undefined) return undefined;
    return { querySet, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 };
  }

  /** Records that the times are brought here: after the last column. */
  fetch(encoder: GPUCommandEncoder): void {
    if (this.#querySet === undefined) return;
    const bytes = 16 * this.#columns;
    const resolved = this.#loans.buffer(bytes);
    this.#read = this.#loans.readbackBuffer(resolved.size);
    encoder.resolveQuerySet(this.#querySet, 0, 2 * this.#columns, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, this.#read, 0, bytes);
  }

  /** Resolves when `milliseconds` can be read; called when all is submitted. */
  map(): Promise<unknown> {
    return this.#read?.mapAsync(MapMode.READ, 0, 16 * this.#columns) ?? Promise.resolve();
  }

  /** Undefined where nothing was timed. */
  get milliseconds(): number | undefined {
    if (this.#read === undefined) return undefined;
    const times = new BigInt64Array(this.#read.getMappedRange(0, 16 * this.#columns));
    let sum = 0;
    for (let i = 0; i < times.length; i += 2) {
      // A GPU whose clock was set back in between has not been faster than light.
      sum += Math.max(0, Number((times[i + 1] as bigint) - (times[i] as bigint)));
    }
    return sum / 1e6;
  }
}
