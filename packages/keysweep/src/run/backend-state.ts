/** A backend of a sorter, with what is known of it: its probe, its costs, its failures. */

import {
  type Backend,
  BackendFailedError,
  inTurn,
  type Probe,
  type RequestShape,
  readClock,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import type { Machine } from '../machine/machine.js';
import { correctionsOf, type Estimate, warmMilliseconds } from '../plan/cost.js';
import { memoryFor } from '../plan/memory.js';
import type { BackendProfile } from '../plan/profile.js';
import { builtInCosts } from '../plan/profiles.js';
import type { Candidate } from '../plan/types.js';
import { isBuiltin } from './builtin.js';
import { LinkedSignal, withTimeOut } from './time-out.js';

/**
 * How long a backend rests after its first failure in a row, in milliseconds, and at most. Each
 * rest is twice as long as the one before.
 */
const FIRST_REST = 1000;
const LONGEST_REST = 60_000;

/**
 * A backend is given up after this many times what a sort was expected to take, if that is more
 * than the time-out.
 */
const TIME_OUT_FACTOR = 20;

/** A backend that can be replaced by a new one when it hangs: see `lazy`. */
export interface Renewable extends Backend {
  renew?(): void;
}

export class BackendState implements Candidate {
  readonly backend: Renewable;
  readonly #machine: Machine;
  /** Milliseconds without a sign of life after which the backend is given up, at least. */
  readonly #timeOut: number;
  /** The longest time-out of a sort so far. */
  #longestTimeOut: number;
  /** What the backend found on this machine; undefined until a probe has succeeded. */
  probe: Probe | undefined;
  #probing: Promise<Probe> | undefined;
  /** Measured figures; undefined where the built-in ones are used. */
  #figures: BackendProfile | undefined;
  #estimate: Estimate | undefined;
  /** Whether it has sorted, or was warmed up. */
  #isWarm = false;
  /** Milliseconds that it would have saved so far, had it been warm. */
  #missed = 0;
  /** Bytes that it keeps of the largest request that it has served. */
  heldBytes = 0;
  /** Failures since the last success. */
  #failures = 0;
  #restsUntil = 0;
  /** The message of the last failure. */
  failure: string | undefined;
  /** What broke in its probe, and not in the machine. */
  broken: { readonly error: unknown } | undefined;
  /** Counts progress and requests that ended. */
  #signsOfLife = 0;

  constructor(backend: Backend, machine: Machine, timeOut: number) {
    this.backend = backend;
    this.#machine = machine;
    this.#timeOut = timeOut;
    this.#longestTimeOut = timeOut;
  }

  get estimate(): Estimate {
    if (this.#estimate === undefined) {
      const costs = builtInCosts(this.backend.name, this.#machine, this.probe);
      const figures = this.#figures;
      const corrections = figures && correctionsOf(costs, figures.times);
      this.#estimate = { costs, corrections, start: figures?.start ?? costs.start };
    }
    return this.#estimate;
  }

  /** Uses measured figures; the built-in ones, if undefined. */
  use(figures: BackendProfile | undefined): void {
    this.#figures = figures;
    this.#estimate = undefined;
  }

  /** The measured figures, as a profile keeps them. */
  get figures(): BackendProfile {
    return { times: {}, ...this.#figures };
  }

  get isWarm(): boolean {
    return this.#isWarm;
  }

  /**
   * Milliseconds of its start that count against the next request. What it has missed is taken off:
   * a start is made once it would have paid (ski rental, Karlin et al., "Competitive snoopy
   * caching", 1988). So a stream of sorts pays for a start twice at most.
   */
  get startUp(): number {
    return this.#isWarm ? 0 : Math.max(0, this.estimate.start - this.#missed);
  }

  get restsFor(): number {
    return this.#failures === 0 ? 0 : Math.max(0, this.#restsUntil - readClock());
  }

  /** Notes a request that went elsewhere: a warm backend would have saved so many milliseconds. */
  noteMissed(milliseconds: number): void {
    if (!this.#isWarm && milliseconds > 0) this.#missed += milliseconds;
  }

  /** Notes a failure: the backend rests for a while. */
  noteFailure(error: unknown): void {
    this.failure = error instanceof Error ? error.message : String(error);
    this.#restsUntil = readClock() + Math.min(LONGEST_REST, FIRST_REST * 2 ** this.#failures++);
  }

  /**
   * Probes once. A probe that breaks or hangs is a failure, and is repeated later. Never
   * rejects.
   */
  async probed(): Promise<Probe> {
    if (this.probe !== undefined) return this.probe;
    this.#probing ??= this.#runProbe();
    const probe = await this.#probing;
    this.#probing = undefined;
    return probe;
  }

  /** Probes once more, for what the backend finds has changed. Never rejects. */
  async probedAgain(): Promise<Probe> {
    return this.#runProbe();
  }

  async #runProbe(): Promise<Probe> {
    try {
      const probing = Promise.resolve(this.backend.probe());
      this.probe = await withTimeOut(probing, this.#timeOut, () =>
        this.#timeOutError('probe', this.#timeOut),
      );
      this.#estimate = undefined;
      const { probe } = this;
      this.broken = probe.available || !('cause' in probe) ? undefined : { error: probe.cause };
      return probe;
    } catch (error) {
      this.noteFailure(error);
      this.broken = { error };
      return { available: false, reason: `its probe failed: ${String(error)}` };
    }
  }

  /**
   * Has the backend sort a request, with a time-out.
   * @throws BackendFailedError where it shows no sign of life; what the backend throws.
   */
  async sort(request: SortRequest): Promise<SortOutcome> {
    const { shape, signal, onProgress } = request;
    const timeOut = this.#timeOutFor(shape);
    const linked = new LinkedSignal(signal);
    let isCommitting = false;
    // A backend that writes its result works on this thread alone, and cannot hang.
    const signs = (): number => (isCommitting ? ++this.#signsOfLife : this.#signsOfLife);
    try {
      const linkedRequest: SortRequest = {
        ...request,
        signal: linked,
        onProgress:
          onProgress &&
          ((progress) => {
            this.#signsOfLife++;
            onProgress(progress);
          }),
        onCommit: () => {
          isCommitting = true;
        },
      };
      const serve = (): Promise<SortOutcome> => this.backend.sort(linkedRequest);
      // The runtime's own sort does not look at turns: see index.ts for short arrays.
      const sorting = isBuiltin(this.backend) ? inTurn(shape.length, serve) : serve();
      const giveUp = (): Error => {
        const error = this.#timeOutError('sort', timeOut);
        linked.abort(error);
        this.#isWarm = false;
        this.backend.renew?.();
        return error;
      };
      const outcome = await withTimeOut(sorting, timeOut, giveUp, signs);
      this.#failures = 0;
      this.#isWarm = true;
      const { kept } = memoryFor(this.backend.name, shape, this.probe);
      this.heldBytes = Math.max(this.heldBytes, kept);
      return outcome;
    } finally {
      this.#signsOfLife++;
      linked.unlink();
    }
  }

  #timeOutFor(shape: RequestShape): number {
    const expected = warmMilliseconds(this.estimate, shape) + this.startUp;
    const timeOut = Math.max(this.#timeOut, TIME_OUT_FACTOR * expected);
    this.#longestTimeOut = Math.max(this.#longestTimeOut, timeOut);
    return timeOut;
  }

  #timeOutError(what: string, timeOut: number): Error {
    const seconds = (timeOut / 1000).toPrecision(2);
    return new BackendFailedError(
      this.backend.name,
      `its ${what} showed no sign of life for ${seconds} s and was given up`,
    );
  }

  async warmUp(maxLength: number): Promise<void> {
    await this.backend.warmUp(maxLength);
    this.#isWarm = true;
  }

  async release(): Promise<void> {
    this.#isWarm = false;
    this.#missed = 0;
    this.heldBytes = 0;
    await this.#ending('release', this.backend.release());
  }

  async close(): Promise<void> {
    await this.#ending('close', this.backend.close());
  }

  /** Waits for the end of a release or close. Sorts that still finish are signs of life. */
  #ending(what: string, work: Promise<void>): Promise<void> {
    const timeOut = this.#longestTimeOut;
    const makeError = (): Error => this.#timeOutError(what, timeOut);
    return withTimeOut(work, timeOut, makeError, () => this.#signsOfLife);
  }
}
