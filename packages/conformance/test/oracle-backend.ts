/** A backend that lets the oracle sort: right by definition, slow, and easy to break. */

import {
  type Backend,
  type BitsArray,
  bitsOf,
  ClosedError,
  commit,
  copyOf,
  type KeyArray,
  type OnArrayBuffer,
  type Probe,
  type RequestShape,
  type Result,
  type SortOutcome,
  type SortRequest,
  type TypedArray,
} from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';

/** Elements of `source` in the order of `permutation`, on memory of their own. */
export function gather<T extends TypedArray>(
  source: T,
  permutation: Uint32Array,
): OnArrayBuffer<T> {
  const gathered = copyOf(source);
  const [from, to] = [bitsOf(source), bitsOf(gathered)];
  const words = source.BYTES_PER_ELEMENT === 8 ? 2 : 1;
  for (const [i, index] of permutation.entries()) {
    for (let word = 0; word < words; word++) {
      to[i * words + word] = from[index * words + word] as number;
    }
  }
  return gathered;
}

/** What is to be written over `target`, which had the bits of `sorted` in another order. */
const resultOf = (name: string, target: TypedArray, sorted: TypedArray): Result<BitsArray> => ({
  name,
  target,
  length: sorted.length,
  bits: bitsOf(sorted),
});

/** Each step is a method, for a broken backend to override. */
export class OracleBackend implements Backend {
  readonly name = 'builtin';
  protected closed = false;

  async probe(): Promise<Probe> {
    const capabilities = { description: 'the oracle', software: false, threads: 1 };
    return { available: true, capabilities };
  }

  maxLength(_: RequestShape): number {
    return 2 ** 32 - 1;
  }

  async sort(request: SortRequest): Promise<SortOutcome> {
    this.assertOpen();
    this.assertNotAborted(request);
    const { length } = request.shape;
    const columns = request.columns.map((column) => copyOf(column)) as [KeyArray, ...KeyArray[]];
    const values = request.values && copyOf(request.values);
    const permutation = this.order({ ...request, columns, values });
    request.onProgress?.({ phase: 'sort', completed: 0, total: length });
    await this.turn();
    this.assertOpen();
    this.assertNotAborted(request);
    request.onProgress?.({ phase: 'sort', completed: length, total: length });
    if (request.shape.operation === 'argsort') return this.outcome(request, permutation);
    const results = [
      resultOf('keys', request.columns[0], this.gatherKeys(columns[0], permutation)),
    ];
    if (request.values !== undefined && values !== undefined) {
      results.push(resultOf('values', request.values, this.gatherValues(values, permutation)));
    }
    this.write(results);
    return this.outcome(request, undefined);
  }

  async warmUp(_: number): Promise<void> {}

  async release(): Promise<void> {}

  async close(): Promise<void> {
    this.closed = true;
  }

  protected order({ shape, columns, segments }: SortRequest): Uint32Array<ArrayBuffer> {
    return oraclePermutation(columns, { order: shape.order, keyBits: shape.keyBits, segments });
  }

  protected gatherKeys(keys: KeyArray, permutation: Uint32Array): KeyArray {
    return gather(keys, permutation);
  }

  protected gatherValues(values: TypedArray, permutation: Uint32Array): TypedArray {
    return gather(values, permutation);
  }

  protected write(results: readonly Result<BitsArray>[]): void {
    commit(results);
  }

  protected outcome(
    _: SortRequest,
    permutation: Uint32Array<ArrayBuffer> | undefined,
  ): SortOutcome {
    const passes = { run: 1, skipped: 0 };
    return { permutation, milliseconds: { sort: 0 }, passes, threads: 1, bound: 0 };
  }

  /** Leaves the event loop a turn: callers may abort, or take their arrays away. */
  protected turn(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 0));
  }

  protected assertOpen(): void {
    if (this.closed) throw new ClosedError('the oracle backend');
  }

  protected assertNotAborted({ signal }: SortRequest): void {
    if (signal?.aborted) throw signal.reason;
  }
}

/** A backend with one flaw, and the names of the checks that have to see it. */
export interface Broken {
  readonly flaw: string;
  readonly caughtBy: RegExp;
  readonly create: () => Backend;
}
