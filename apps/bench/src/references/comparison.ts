/** Several implementations of a sort, as a case of a suite. */

import type { Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { faultOfKeys, faultOfOrder } from '@keysweep/conformance/verify';
import type { KeyArray, TypedArray } from '@keysweep/core';
import { type Definition, makeInput, nameOf } from '../inputs/definitions.js';
import type { Timing } from '../measure/runner.js';
import type { SuiteCase } from '../measure/suite.js';
import { formatTime, type TableColumn } from '../program/table.js';
import { samplesOf, warmUpsOf } from './definitions.js';

/** One way to sort. */
export interface Implementation {
  readonly name: string;
  /** Threads that it uses at most. */
  readonly threads: number;
  /** Whether it takes such input at all. */
  takes(definition: Definition): boolean;
  /** Sorts `keys`, which it may overwrite, and measures the time. May reject. */
  sort(definition: Definition, keys: KeyArray): Promise<Outcome>;
  /** Ends its threads and processes. */
  close?(): Promise<void>;
}

/** One sort. */
export interface Outcome {
  readonly milliseconds: number;
  /**
   * Of a program with memory of its own: copying the keys there and back, not in `milliseconds`.
   */
  readonly copies?: { readonly in: number; readonly out: number };
  /** Sorted keys, or the permutation of argsort. Valid until the implementation's next sort. */
  readonly result: TypedArray;
}

/** The samples of an implementation for one definition, in milliseconds. */
export interface RecordedTiming extends Definition {
  readonly implementation: string;
  readonly threads: number;
  readonly milliseconds: readonly number[];
  /** Only of programs with memory of their own, whose `milliseconds` are without copies. */
  readonly copyIn?: readonly number[];
  readonly copyOut?: readonly number[];
  readonly verified: boolean;
  readonly fault?: string;
}

/** Columns of the table of a comparison, beside those of every suite. */
export const COLUMNS: readonly TableColumn[] = [
  { title: 'M keys/s', width: 8, align: 'right' },
  { title: 'copies', width: 8, align: 'right' },
];

/**
 * A comparison of all implementations that take `definition`. They sort the same input, which is
 * new in each round.
 */
export function comparisonOf(
  all: readonly Implementation[],
  definition: Definition,
  random: Random,
): SuiteCase<RecordedTiming> {
  const takers = all.filter((implementation) => implementation.takes(definition));
  const copiesOf = ({ notes }: Timing) =>
    (notes as readonly Outcome['copies'][]).filter((copies) => copies !== undefined);
  return {
    name: nameOf(definition),
    samples: samplesOf(definition),
    warmUps: warmUpsOf(definition),
    makeRound() {
      const [keys] = makeInput(definition, random).columns;
      const copy = keys.slice();
      return {
        ways: takers.map((implementation) => ({
          name: labelOf(implementation),
          prepare: () => copy.set(keys as never),
          run: () => implementation.sort(definition, copy),
        })),
        check: ({ result }: Outcome) =>
          definition.operation === 'argsort'
            ? faultOfOrder([keys], result as Uint32Array)
            : faultOfKeys(result as KeyArray, keys),
      };
    },
    timeOf: ({ milliseconds }: Outcome) => milliseconds,
    noteOf: ({ copies }: Outcome) => copies,
    isOurs: (name) => name.startsWith('keysweep'),
    cellsOf(timing) {
      const rate = definition.length / median(timing.milliseconds) / 1000;
      const copies = copiesOf(timing);
      if (copies.length === 0) return [rate.toPrecision(3)];
      const time = median(copies.map((copy) => copy.in)) + median(copies.map((copy) => copy.out));
      return [rate.toPrecision(3), formatTime(time)];
    },
    resultsOf: (timings) =>
      timings.map((timing, i) => {
        const { name, threads } = takers[i] as Implementation;
        const { milliseconds, fault } = timing;
        const copies = copiesOf(timing);
        return {
          ...definition,
          ...{ implementation: name, threads, milliseconds },
          ...(copies.length > 0 && {
            copyIn: copies.map((copy) => copy.in),
            copyOut: copies.map((copy) => copy.out),
          }),
          verified: fault === undefined,
          ...(fault !== undefined && { fault }),
        };
      }),
  };
}

/** "keysweep, 2 threads" */
const labelOf = ({ name, threads }: Implementation): string =>
  `${name}, ${threads} thread${threads > 1 ? 's' : ''}`;
