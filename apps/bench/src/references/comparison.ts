/** Times several implementations by turns, on inputs that are new in each round. */

import type { Random } from '@keysweep/conformance/data';
import { differenceOf, faultOfOrder } from '@keysweep/conformance/verify';
import type { KeyArray, TypedArray } from '@keysweep/core';
import { type Definition, makeInput } from '../inputs/definitions.js';

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

/** The samples of an implementation, in milliseconds, in the order in which they were taken. */
export interface Timing {
  readonly implementation: Implementation;
  readonly milliseconds: number[];
  readonly copyIn: number[];
  readonly copyOut: number[];
  /**
   * undefined when every result was verified. Else what was wrong; it is then not measured any
   * more.
   */
  fault: string | undefined;
}

/**
 * Lets all implementations that take `definition` sort the same fresh input, `warmUps` times that
 * do not count and then `samples` times. The order changes with each round, because a later one
 * finds warmer caches.
 */
export async function compareSorts(
  implementations: readonly Implementation[],
  definition: Definition,
  { samples, warmUps }: { readonly samples: number; readonly warmUps: number },
  random: Random,
): Promise<Timing[]> {
  const timings = implementations
    .filter((implementation) => implementation.takes(definition))
    .map((implementation): Timing => {
      return { implementation, milliseconds: [], copyIn: [], copyOut: [], fault: undefined };
    });
  for (let sample = -warmUps; sample < samples; sample++) {
    const [keys] = makeInput(definition, random).columns;
    const faultOf = checkFor(definition, keys);
    const copy = keys.slice();
    for (const timing of shuffled(timings, random)) {
      if (timing.fault !== undefined) continue;
      copy.set(keys as never);
      try {
        const outcome = await timing.implementation.sort(definition, copy);
        timing.fault = faultOf(outcome.result);
        if (sample >= 0) add(timing, outcome);
      } catch (error) {
        timing.fault = `failed: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
  }
  return timings;
}

/** A function that returns what is wrong with a result, or undefined. */
function checkFor(
  { operation }: Definition,
  keys: KeyArray,
): (result: TypedArray) => string | undefined {
  if (operation === 'argsort') return (order) => faultOfOrder([keys], order as Uint32Array);
  const expected = keys.slice().sort();
  return (result) => differenceOf(result, expected);
}

function add(timing: Timing, { milliseconds, copies }: Outcome): void {
  timing.milliseconds.push(milliseconds);
  if (copies === undefined) return;
  timing.copyIn.push(copies.in);
  timing.copyOut.push(copies.out);
}

/** In an order that `random` decides (Fisher and Yates). */
function shuffled<T>(list: readonly T[], random: Random): T[] {
  const order = [...list];
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.bits() % (i + 1);
    [order[i], order[j]] = [order[j] as T, order[i] as T];
  }
  return order;
}
