/**
 * Decides which backend serves a request, and why, by the request's shape and what is known about
 * each backend. `run/planner.ts` asks for a plan, a pure function, with the present state. Shorter
 * requests need none if the runtime's own sort serves them best, which a rule knows sooner.
 */

import { type KeyType, type Operation, plainShape, type RequestShape } from '@keysweep/core';
import { coldMilliseconds, warmMilliseconds } from './cost.js';
import { memoryFor } from './memory.js';
import type { Candidate, Conditions, Plan, PlanStep, Refusal } from './types.js';

/**
 * The plan of a request under 'auto'. Candidates are ordered by expected time, and keep their order
 * if that is equal. Each is in the plan exactly once, in `steps` or in `refused`. A backend that
 * rests or lacks memory becomes a step only if there would be no other.
 */
export function planRequest(
  shape: RequestShape,
  candidates: readonly Candidate[],
  { profile, allowSoftware, freeBytes }: Conditions,
): Plan {
  const steps: Counted[] = [];
  const refused: Refusal[] = [];
  const reserve: { readonly counted: Counted; readonly why: string }[] = [];
  for (const candidate of candidates) {
    const backend = candidate.backend.name;
    const refusal =
      refusalOf(shape, candidate) ?? (allowSoftware ? undefined : softwareOnly(candidate));
    if (refusal !== undefined) {
      refused.push({ backend, reason: refusal });
      continue;
    }
    const step = stepOf(shape, candidate);
    // What is left of a start counts, and not what it takes.
    const counted = { step, cost: costOf(shape, candidate) };
    const why = resting(candidate) ?? shortage(shape, candidate, freeBytes);
    if (why === undefined) steps.push(counted);
    else reserve.push({ counted, why });
  }
  if (steps.length === 0) steps.push(...reserve.map(({ counted }) => counted));
  else refused.push(...reserve.map(({ counted, why }) => ({ ...counted.step, reason: why })));
  steps.sort((a, b) => a.cost - b.cost);
  return { steps: steps.map(({ step }) => step), refused, profile };
}

/** A step, and the milliseconds by which it is compared with others. */
interface Counted {
  readonly step: PlanStep;
  readonly cost: number;
}

/** Milliseconds that count against a backend for this request. */
function costOf(shape: RequestShape, { estimate, startUp }: Candidate): number {
  const sort = startUp > 0 ? coldMilliseconds : warmMilliseconds;
  return sort(estimate, shape) + startUp;
}

/** Milliseconds that the figures expect of a backend for the whole call, its start included. */
export function expectedMilliseconds(
  shape: RequestShape,
  { estimate, isWarm }: Pick<Candidate, 'estimate' | 'isWarm'>,
): number {
  if (isWarm) return warmMilliseconds(estimate, shape);
  return coldMilliseconds(estimate, shape) + estimate.start;
}

/** A backend as a step of a plan, with the time that is expected of it. */
export function stepOf(shape: RequestShape, candidate: Candidate): PlanStep {
  const { backend, probe, estimate } = candidate;
  const pace = candidate.pace?.of(shape) ?? 1;
  const milliseconds = pace * expectedMilliseconds(shape, candidate);
  const starting = milliseconds - pace * warmMilliseconds(estimate, shape);
  return {
    backend: backend.name,
    // Built when it is read, because most calls have no report.
    get reason() {
      const toStart = starting > 0 ? `, ${inWords(starting)} of it to start` : '';
      const what = probe?.available ? probe.capabilities.description : 'not probed yet';
      return `${inWords(milliseconds)} expected${toStart} (${what})`;
    },
    milliseconds,
  };
}

/** Two digits, because the figures are no more exact than that. */
const inWords = (milliseconds: number): string => `${+milliseconds.toPrecision(2)} ms`;

/** Why a backend can't serve the request at all, or undefined. */
export function refusalOf(
  shape: RequestShape,
  { backend, probe }: Pick<Candidate, 'backend' | 'probe'>,
): string | undefined {
  if (probe?.available === false) return probe.reason;
  const limit = backend.maxLength(shape);
  if (shape.length <= limit) return undefined;
  return limit === 0
    ? `it has no ${shape.operation} of ${shape.keyTypes.join(', ')} keys`
    : `${shape.length} keys are over its limit of ${limit} for this request`;
}

/** Why a software adapter is refused: the CPU backend does the same work in less time. */
function softwareOnly({ probe }: Candidate): string | undefined {
  if (!probe?.available || !probe.capabilities.software) return undefined;
  return `${probe.capabilities.description} is a software adapter`;
}

function resting({ restsFor, failure }: Candidate): string | undefined {
  if (restsFor === 0) return undefined;
  return `it rests for another ${inWords(restsFor)} since it failed: ${failure}`;
}

/** Why the memory is not enough. Memory that the backend holds already need not be free. */
function shortage(
  shape: RequestShape,
  { backend, probe, heldBytes }: Candidate,
  freeBytes: number,
): string | undefined {
  if (freeBytes === Number.POSITIVE_INFINITY) return undefined;
  const { kept, passing } = memoryFor(backend.name, shape, probe);
  const bytes = Math.max(0, kept - heldBytes) + passing;
  if (bytes <= freeBytes) return undefined;
  const mebibytes = (count: number): number => Math.ceil(count / 2 ** 20);
  return `it would take another ${mebibytes(bytes)} MiB, and ${mebibytes(freeBytes)} MiB are free`;
}

/**
 * Longer requests always get a plan, whose 0.03 ms do not matter there: even a built-in radix sort
 * takes 0.5 ms for this many keys of a byte.
 */
const LONGEST = 2 ** 20;

/** A backend as a candidate, which is also told what it would have saved. */
export interface BuiltinRival extends Candidate {
  /** Notes how many milliseconds the backend would have saved, had it been warm. */
  noteMissed(milliseconds: number): void;
}

/** A backend that would be quicker than the runtime's own sort if it were warm. */
interface Rival {
  readonly candidate: BuiltinRival;
  /** Milliseconds that it would save. */
  readonly saved: number;
  /** Milliseconds that its first sort would save, without its start; may be negative. */
  readonly savedCold: number;
}

/** The answers for one list of backends. They are kept by operation, key type and length. */
export class BuiltinRule {
  readonly #builtin: BuiltinRival;
  readonly #others: readonly BuiltinRival[];
  readonly #answers: Readonly<Record<Operation, Map<KeyType, (readonly Rival[])[]>>> = {
    sort: new Map(),
    sortPairs: new Map(),
    argsort: new Map(),
  };

  /** `own` is the runtime's own sort, `others` are the backends beside it. */
  constructor(builtin: BuiltinRival, others: readonly BuiltinRival[]) {
    this.#builtin = builtin;
    this.#others = others;
  }

  /**
   * Whether the runtime's own sort serves a request best: no backend would be quicker, or the
   * quicker ones are cold and a start does not pay yet. Adds up what those would have saved, so
   * call it once per request. O(1).
   */
  isForBuiltin(shape: RequestShape): boolean {
    const { operation, keyTypes, length, segmentCount, keyBits } = shape;
    const isPlain = keyTypes.length === 1 && segmentCount === 1 && keyBits === undefined;
    if (!isPlain || length >= LONGEST || this.#builtin.restsFor > 0) return false;
    const keyType = keyTypes[0] as KeyType;
    const rivals = this.#rivalsAt(operation, keyType, length);
    const pays = ({ candidate: { startUp }, saved, savedCold }: Rival): boolean =>
      startUp < (startUp > 0 ? savedCold : saved);
    if (rivals.some(pays)) return false;
    for (const { candidate, saved } of rivals) candidate.noteMissed(saved);
    return true;
  }

  /** Drops all answers, because the figures that they come from have changed. */
  forget(): void {
    for (const answers of Object.values(this.#answers)) answers.clear();
  }

  /** The rivals at about this length. A quarter of an octave has one answer, for its middle. */
  #rivalsAt(operation: Operation, keyType: KeyType, length: number): readonly Rival[] {
    const octave = 31 - Math.clz32(length | 1);
    const quarter = octave < 2 ? 0 : (length >>> (octave - 2)) & 3;
    const byLength = this.#answersFor(operation, keyType);
    const place = 4 * octave + quarter;
    const middle = (4.5 + quarter) * 2 ** (octave - 2);
    byLength[place] ??= this.#findRivals(plainShape(operation, keyType, middle));
    return byLength[place];
  }

  #answersFor(operation: Operation, keyType: KeyType): (readonly Rival[])[] {
    const answers = this.#answers[operation];
    let byLength = answers.get(keyType);
    if (byLength === undefined) {
      byLength = [];
      answers.set(keyType, byLength);
    }
    return byLength;
  }

  #findRivals(shape: RequestShape): readonly Rival[] {
    const most = warmMilliseconds(this.#builtin.estimate, shape);
    return this.#others
      .filter(({ probe }) => probe?.available !== false)
      .map((candidate) => {
        const { estimate } = candidate;
        const savedCold = most - coldMilliseconds(estimate, shape);
        return { candidate, saved: most - warmMilliseconds(estimate, shape), savedCold };
      })
      .filter(({ saved }) => saved > 0);
  }
}
