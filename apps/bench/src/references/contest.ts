/** Times several sorts in turns, on inputs that none of them has seen. */

import type { Random } from '@keysweep/conformance/data';
import { differenceOf, faultOfOrder } from '@keysweep/conformance/verify';
import type { KeyArray, TypedArray } from '@keysweep/core';
import { type Definition, makeInput } from '../definitions.js';

/** Somebody's way to do what definitions say. */
export interface Contender {
  readonly name: string;
  /** Those that it uses at most. */
  readonly threads: number;
  /** Whether it is for such input at all. */
  takes(definition: Definition): boolean;
  /** Sorts `keys`, which it may overwrite, and tells the time. May reject. */
  sort(definition: Definition, keys: KeyArray): Promise<Outcome>;
  /** Ends its threads and processes. */
  close?(): Promise<void>;
}

/** One sort. */
export interface Outcome {
  readonly milliseconds: number;
  /** Of a program with memory of its own: copying the keys there and back, not in `milliseconds`. */
  readonly copies?: { readonly in: number; readonly out: number };
  /** Sorted keys, or the permutation of argsort. Valid until the contender's next sort. */
  readonly result: TypedArray;
}

/** How a contender did: one number a sample, in the order in which they were taken, in milliseconds. */
export interface Standing {
  readonly contender: Contender;
  readonly milliseconds: number[];
  readonly copyIn: number[];
  readonly copyOut: number[];
  /** undefined when every result was verified, else what was wrong: it was then not asked again. */
  fault: string | undefined;
}

/**
 * Lets all who take `definition` sort the same fresh input, first `warmUps` times that do not count,
 * then `samples` times, each time in another order: whoever comes second finds warmer caches.
 */
export async function compete(
  contenders: readonly Contender[],
  definition: Definition,
  { samples, warmUps }: { readonly samples: number; readonly warmUps: number },
  random: Random,
): Promise<Standing[]> {
  const standings = contenders
    .filter((contender) => contender.takes(definition))
    .map((contender): Standing => {
      return { contender, milliseconds: [], copyIn: [], copyOut: [], fault: undefined };
    });
  for (let sample = -warmUps; sample < samples; sample++) {
    const [keys] = makeInput(definition, random).columns;
    const faultOf = judge(definition, keys);
    const copy = keys.slice();
    for (const standing of shuffled(standings, random)) {
      if (standing.fault !== undefined) continue;
      copy.set(keys as never);
      try {
        const outcome = await standing.contender.sort(definition, copy);
        standing.fault = faultOf(outcome.result);
        if (sample >= 0) add(standing, outcome);
      } catch (error) {
        standing.fault = `failed: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
  }
  return standings;
}

/** Says of a result what is wrong with it, or undefined. */
function judge(
  { operation }: Definition,
  keys: KeyArray,
): (result: TypedArray) => string | undefined {
  if (operation === 'argsort') return (order) => faultOfOrder([keys], order as Uint32Array);
  const expected = keys.slice().sort();
  return (result) => differenceOf(result, expected);
}

function add(standing: Standing, { milliseconds, copies }: Outcome): void {
  standing.milliseconds.push(milliseconds);
  if (copies === undefined) return;
  standing.copyIn.push(copies.in);
  standing.copyOut.push(copies.out);
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
