/** A plan, and what it is made from. */

import type { Backend, BackendName, Probe, RequestShape } from '@keysweep/core';
import type { Estimate } from './cost.js';

/** A backend that would be tried. */
export interface PlanStep {
  /** Its name. */
  readonly backend: BackendName;
  /** A sentence for a person. */
  readonly reason: string;
  /**
   * Milliseconds that the whole call is expected to take now, including anything it has to start.
   */
  readonly milliseconds: number;
}

/** A backend that would not be tried. */
export interface Refusal {
  /** Its name. */
  readonly backend: BackendName;
  /** A sentence for a person. */
  readonly reason: string;
  /** Milliseconds that the call would take, if that is known. */
  readonly milliseconds?: number;
}

/** The figures that a plan goes by. */
export interface ProfileNote {
  /** "built-in", or "measured" and the date. */
  readonly name: string;
  /** Why these figures are used. */
  readonly reason: string;
}

/** The backends that would be tried, in this order, and those that would not be. */
export interface Plan {
  /** The first one serves the request. If it fails, the next one takes over. */
  readonly steps: readonly PlanStep[];
  /** Backends that would not be tried, each with the reason. */
  readonly refused: readonly Refusal[];
  /** The figures that the milliseconds come from. */
  readonly profile: ProfileNote;
}

/** What a plan needs to know about a backend. */
export interface Candidate {
  readonly backend: Pick<Backend, 'name' | 'maxLength'>;
  /** What its probe found; undefined before a probe. */
  readonly probe: Probe | undefined;
  readonly estimate: Estimate;
  /** Whether it has sorted, or was warmed up. */
  readonly isWarm: boolean;
  /** Milliseconds of its start that count against the request. */
  readonly startUp: number;
  /** Milliseconds that it still rests after `failure`; 0 if it does not rest. */
  readonly restsFor: number;
  readonly failure: string | undefined;
  /** Bytes that it holds from earlier requests. */
  readonly heldBytes: number;
  /** What its sorts take over what the figures expect. */
  readonly pace?: { of(shape: RequestShape): number };
}

/** Everything else that a plan depends on. */
export interface Conditions {
  readonly profile: ProfileNote;
  /** Whether a software adapter counts as a GPU. */
  readonly allowSoftware: boolean;
  /** Bytes of memory that are free. */
  readonly freeBytes: number;
}
