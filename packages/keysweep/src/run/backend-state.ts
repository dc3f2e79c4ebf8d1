/**
 * A backend of a sorter, with all that is remembered about it between calls: what its probe found,
 * what sorts cost, what a start still costs, and whether it rests after a failure.
 */

import {
  type Backend,
  type Probe,
  type SortOutcome,
  type SortRequest,
  sortChosen,
} from '@keysweep/core';
import type { Machine } from '../machine/machine.js';
import { builtInCosts } from '../plan/built-in-costs.js';
import { correctionsOf, type Estimate, warmMilliseconds } from '../plan/cost.js';
import { memoryFor } from '../plan/memory.js';
import type { BackendProfile } from '../plan/profile.js';
import type { Candidate } from '../plan/types.js';
import { Pace } from './pace.js';
import { Rest } from './rest.js';
import { StartUp } from './start-up.js';
import { Watchdog } from './watchdog.js';

/** A backend that can be replaced by a new instance if it hangs: see `lazy`. */
export interface Renewable extends Backend {
  renew?(): void;
}

export class BackendState implements Candidate {
  readonly backend: Renewable;
  readonly #machine: Machine;
  readonly #watchdog: Watchdog;
  readonly #rest = new Rest();
  readonly #startUp = new StartUp();
  /** What the backend found on this machine; undefined until a probe has succeeded. */
  probe: Probe | undefined;
  #probing: Promise<Probe> | undefined;
  /** The error of a probe whose code broke, as opposed to a machine that lacks something. */
  broken: { readonly error: unknown } | undefined;
  /** Measured figures; undefined if the built-in ones are used. */
  #figures: BackendProfile | undefined;
  #estimate: Estimate | undefined;
  /** How its sorts compare with the figures. */
  pace: Pace = new Pace();
  /** Bytes that it still holds from the largest request that it has served. */
  heldBytes = 0;

  constructor(backend: Backend, machine: Machine, timeOut: number) {
    this.backend = backend;
    this.#machine = machine;
    this.#watchdog = new Watchdog(backend, timeOut);
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

  /** Uses measured figures, or the built-in ones if undefined. */
  use(figures: BackendProfile | undefined): void {
    this.#figures = figures;
    this.#estimate = undefined;
    this.pace = new Pace();
  }

  /** The measured figures, as a profile keeps them. */
  get figures(): BackendProfile {
    return { times: {}, ...this.#figures };
  }

  /** Whether it has sorted, or was warmed up. */
  get isWarm(): boolean {
    return this.#startUp.isWarm;
  }

  get startUp(): number {
    return this.#startUp.costOf(this.estimate.start);
  }

  /** Notes a request that went elsewhere: a warm backend would have saved this much. */
  noteMissed(milliseconds: number): void {
    this.#startUp.noteMissed(milliseconds);
  }

  get restsFor(): number {
    return this.#rest.restsFor;
  }

  get failure(): string | undefined {
    return this.#rest.failure;
  }

  /** Notes a failure: the backend rests for a while. */
  noteFailure(error: unknown): void {
    this.#rest.noteFailure(error);
  }

  /**
   * Probes once. A probe that breaks or hangs counts as a failure and is repeated later. Never
   * rejects.
   */
  async probed(): Promise<Probe> {
    if (this.probe !== undefined) return this.probe;
    this.#probing ??= this.probedAgain();
    const probe = await this.#probing;
    this.#probing = undefined;
    return probe;
  }

  /** Probes once more, because what the backend can do here has changed. Never rejects. */
  async probedAgain(): Promise<Probe> {
    try {
      const probe = await this.#watchdog.probe(Promise.resolve(this.backend.probe()));
      if (!probe.available && 'cause' in probe) {
        this.#noteBroken(probe.cause);
        return probe;
      }
      this.probe = probe;
      this.#estimate = undefined;
      this.broken = undefined;
      return probe;
    } catch (error) {
      this.#noteBroken(error);
      return { available: false, reason: `its probe failed: ${String(error)}` };
    }
  }

  /** Notes that a probe broke. It has found nothing out, so it leaves no answer. */
  #noteBroken(error: unknown): void {
    this.noteFailure(error);
    this.broken = { error };
  }

  /**
   * Has the backend sort a request. If it hangs, a new instance takes its place for later requests.
   * @throws BackendFailedError if it shows no sign of life; whatever the backend throws.
   */
  async sort(request: SortRequest): Promise<SortOutcome> {
    if (this.backend.sortsChosen) return this.#sort(request);
    return sortChosen(request, (all) => this.#sort(all));
  }

  async #sort(request: SortRequest): Promise<SortOutcome> {
    const expected = warmMilliseconds(this.estimate, request.shape) + this.estimate.start;
    const outcome = await this.#watchdog.sort(request, expected, () => {
      this.#startUp.isWarm = false;
      this.backend.renew?.();
    });
    this.#rest.noteSuccess();
    this.#startUp.isWarm = true;
    const { kept } = memoryFor(this.backend.name, request.shape, this.probe);
    this.heldBytes = Math.max(this.heldBytes, kept);
    return outcome;
  }

  async warmUp(maxLength: number): Promise<void> {
    await this.backend.warmUp(maxLength);
    this.#startUp.isWarm = true;
  }

  async release(): Promise<void> {
    this.#startUp.reset();
    this.heldBytes = 0;
    await this.#watchdog.ending('release', this.backend.release());
  }

  async close(): Promise<void> {
    await this.#watchdog.ending('close', this.backend.close());
  }
}
