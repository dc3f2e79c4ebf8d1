/** What a plan is made of, and what it says. */

import type { Backend, BackendName, Probe } from '@keysweep/core';
import type { Estimate } from './cost.js';

/** A backend in the place that it has in a plan. */
export interface PlanStep {
  readonly backend: BackendName;
  /** A sentence for a person. */
  readonly reason: string;
  /**
   * What the whole call is expected to take now, in milliseconds, with what would have to be
   * started.
   */
  readonly milliseconds: number;
}

/** A backend that is not in a plan. */
export interface Refusal {
  readonly backend: BackendName;
  /** A sentence for a person. */
  readonly reason: string;
  /** What the call would take, where that is known. */
  readonly milliseconds?: number;
}

/** Which figures a plan goes by. */
export interface ProfileNote {
  /** "built-in", or when it was measured. */
  readonly name: string;
  /** Why these and no others. */
  readonly reason: string;
}

/** The backends that would be tried in this order, and those that would not be. */
export interface Plan {
  /** The first serves the request; the next takes over where one fails. */
  readonly steps: readonly PlanStep[];
  readonly refused: readonly Refusal[];
  readonly profile: ProfileNote;
}

/** What the planner looks at in a backend. */
export interface Candidate {
  readonly backend: Pick<Backend, 'name' | 'maxLength'>;
  /** undefined until it has been asked. */
  readonly probe: Probe | undefined;
  readonly estimate: Estimate;
  /** Milliseconds of its start that the request would have to bear. */
  readonly startUp: number;
  /** Milliseconds that it still rests after `failure`; 0 if it does not. */
  readonly restsFor: number;
  readonly failure: string | undefined;
  /** Bytes that it has kept from earlier requests. */
  readonly heldBytes: number;
}

/** What a plan depends on besides the request and the backends. */
export interface Conditions {
  readonly profile: ProfileNote;
  /** Whether a software adapter counts as a GPU. */
  readonly allowSoftware: boolean;
  /** Bytes of memory that could be taken. */
  readonly freeBytes: number;
}
