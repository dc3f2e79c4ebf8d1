/** A backend with all that is known of it: what it found, what it costs, how it has behaved. */

import {
  type Backend,
  BackendFailedError,
  type Probe,
  type RequestShape,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import type { Machine } from '../machine/machine.js';
import { correctionsOf, type Estimate, warmMilliseconds } from '../plan/cost.js';
import { bytesFor } from '../plan/memory.js';
import type { Candidate } from '../plan/plan.js';
import type { BackendProfile } from '../plan/profile.js';
import { builtInCosts } from '../plan/profiles.js';
import { LinkedSignal, withTimeOut } from './time-out.js';

/** How long a backend rests after its first failure in a row, in milliseconds, and at most: twice as long each time. */
const FIRST_REST = 1000;
const LONGEST_REST = 60_000;

/** A backend is given up when it shows no sign of life for so many times what a sort was expected to take. */
const TIME_OUT_FACTOR = 20;

/** A backend that can be had anew when it hangs: see `lazy`. */
export interface Renewable extends Backend {
  renew?(): void;
}

export class Entry implements Candidate {
  readonly backend: Renewable;
  readonly #machine: Machine;
  /** Milliseconds without a sign of life after which it is given up, at least. */
  readonly #timeout: number;
  probe: Probe | undefined;
  #probing: Promise<Probe> | undefined;
  #figures: BackendProfile | undefined;
  #estimate: Estimate | undefined;
  /** Whether it has sorted, or was warmed up. */
  #isWarm = false;
  /** Milliseconds that would have been saved so far, had it been warm: they are taken off its start. */
  #missed = 0;
  /** Bytes of the largest request that it holds memory for. */
  heldBytes = 0;
  #failures = 0;
  #restsUntil = 0;
  failure: string | undefined;
  #signsOfLife = 0;
  /** The longest that it was waited for. */
  #longestTimeOut: number;

  constructor(backend: Backend, machine: Machine, timeout: number) {
    this.backend = backend;
    this.#machine = machine;
    this.#timeout = timeout;
    this.#longestTimeOut = timeout;
  }

  get estimate(): Estimate {
    this.#estimate ??= this.#makeEstimate();
    return this.#estimate;
  }

  #makeEstimate(): Estimate {
    const costs = builtInCosts(this.backend.name, this.#machine, this.probe);
    const figures = this.#figures;
    return {
      costs,
      corrections: figures && correctionsOf(costs, figures.times),
      start: figures?.start ?? costs.start,
    };
  }

  /** Goes by measured figures, or by the built-in ones. */
  use(figures: BackendProfile | undefined): void {
    this.#figures = figures;
    this.#estimate = undefined;
  }

  /** What is known of its costs, to be kept. */
  get figures(): BackendProfile {
    return { times: {}, ...this.#figures };
  }

  get isWarm(): boolean {
    return this.#isWarm;
  }

  get startUp(): number {
    return this.#isWarm ? 0 : Math.max(0, this.estimate.start - this.#missed);
  }

  get restsFor(): number {
    return this.#failures === 0 ? 0 : Math.max(0, this.#restsUntil - performance.now());
  }

  /** A sort that took `milliseconds` went elsewhere, because this backend would have had to start. */
  miss(shape: RequestShape, milliseconds: number): void {
    if (!this.#isWarm) this.missed(milliseconds - warmMilliseconds(this.estimate, shape));
  }

  /** Had it been warm, so many milliseconds would have been saved. */
  missed(milliseconds: number): void {
    this.#missed += Math.max(0, milliseconds);
  }

  /**
   * Probes once; a probe that breaks or hangs is a failure, and is repeated after a rest. Never
   * rejects.
   */
  async probed(): Promise<Probe> {
    if (this.probe !== undefined) return this.probe;
    this.#probing ??= this.#look();
    const probe = await this.#probing;
    this.#probing = undefined;
    return probe;
  }

  async #look(): Promise<Probe> {
    try {
      const looking = Promise.resolve(this.backend.probe());
      const probe = await withTimeOut(looking, this.#timeout, () =>
        this.#hung('probe', this.#timeout),
      );
      this.probe = probe;
      this.#estimate = undefined;
      return probe;
    } catch (error) {
      this.failed(error);
      return { available: false, reason: `its probe failed: ${String(error)}` };
    }
  }

  /**
   * Has the backend serve a request.
   * @throws BackendFailedError where it hangs; what it throws.
   */
  async serve(request: SortRequest): Promise<SortOutcome> {
    const { shape, signal, onProgress } = request;
    const warm = warmMilliseconds(this.estimate, shape);
    const limit = Math.max(this.#timeout, TIME_OUT_FACTOR * (warm + this.startUp));
    this.#longestTimeOut = Math.max(this.#longestTimeOut, limit);
    const linked = new LinkedSignal(signal);
    let isCommitting = false;
    // Once it writes it is in this thread's hands alone, and cannot hang.
    const signs = (): number => (isCommitting ? ++this.#signsOfLife : this.#signsOfLife);
    try {
      const sorting = this.backend.sort({
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
      });
      const outcome = await withTimeOut(
        sorting,
        limit,
        () => {
          const error = this.#hung('sort', limit);
          linked.abort(error);
          this.#isWarm = false;
          this.backend.renew?.();
          return error;
        },
        signs,
      );
      this.#failures = 0;
      this.#isWarm = true;
      this.heldBytes = Math.max(this.heldBytes, bytesFor(this.backend.name, shape));
      return outcome;
    } finally {
      this.#signsOfLife++;
      linked.unlink();
    }
  }

  #hung(what: string, limit: number): Error {
    const seconds = (limit / 1000).toPrecision(2);
    return new BackendFailedError(
      this.backend.name,
      `its ${what} showed no sign of life for ${seconds} s and was given up`,
    );
  }

  /** Notes a failure: the backend rests for a while. */
  failed(error: unknown): void {
    this.failure = error instanceof Error ? error.message : String(error);
    this.#restsUntil =
      performance.now() + Math.min(LONGEST_REST, FIRST_REST * 2 ** this.#failures++);
  }

  async warmUp(maxLength: number): Promise<void> {
    await this.backend.warmUp(maxLength);
    this.#isWarm = true;
  }

  async release(): Promise<void> {
    this.#isWarm = false;
    this.#missed = 0;
    this.heldBytes = 0;
    await this.#ended('release', this.backend.release());
  }

  async close(): Promise<void> {
    await this.#ended('close', this.backend.close());
  }

  /** Sorts that it still has to finish are signs of life. */
  #ended(what: string, work: Promise<void>): Promise<void> {
    const tooLate = (): Error => this.#hung(what, this.#longestTimeOut);
    return withTimeOut(work, this.#longestTimeOut, tooLate, () => this.#signsOfLife);
  }
}
