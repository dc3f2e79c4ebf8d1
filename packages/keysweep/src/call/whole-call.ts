/** Progress of a whole call, computed from the progress of its phases. */

import { type CallProgress, every, type Phase, type Progress } from '@keysweep/core';

/** Where phases end in a call, and the order in which they come. */
const ENDS: Readonly<Record<Phase, number>> = {
  queue: 0.02,
  start: 0.1,
  pack: 0.3,
  upload: 0.4,
  sort: 0.85,
  readback: 0.95,
};
const PHASES = Object.keys(ENDS) as readonly Phase[];

/** Milliseconds between two looks. If nothing was heard in between, progress moves a little. */
const INTERVAL = 50;

/** The part of a phase's rest by which progress moves without news. */
const STEP = 0.05;

/**
 * Tells a caller what fraction of a call is done. The fraction never falls: if phases begin again,
 * because several sorts make up the call, they share the rest of it.
 */
export class WholeCall {
  readonly #tell: (progress: CallProgress) => void;
  readonly stop: () => void;
  #last: Progress = { phase: 'queue', completed: 0, total: 1 };
  #fraction = 0;
  /** The fraction at which the phases began, the last time. */
  #from = 0;
  /** Whether there was news since the last look. */
  #isNew = false;
  /** The error that the caller's callback threw when no code was there to catch it. */
  #thrown: { readonly error: unknown } | undefined;

  /** Moves by itself until `stop` is called. */
  constructor(tell: (progress: CallProgress) => void) {
    this.#tell = tell;
    this.stop = every(INTERVAL, () => this.#look());
  }

  /** Takes the progress of a phase, or of a call that is a part of this one. */
  readonly note = (progress: Progress & Partial<CallProgress>): void => {
    if (this.#thrown !== undefined) throw this.#thrown.error;
    const { phase, completed, total, fraction } = progress;
    const place = PHASES.indexOf(phase);
    if (place < PHASES.indexOf(this.#last.phase)) this.#from = this.#fraction;
    this.#last = { phase, completed, total };
    const begin = place === 0 ? 0 : ENDS[PHASES[place - 1] as Phase];
    const share = total === 0 ? 1 : completed / total;
    this.#moveTo(fraction ?? begin + (ENDS[phase] - begin) * share);
    this.#isNew = true;
    this.#tell({ ...this.#last, fraction: this.#fraction });
  };

  /** Tells that all is done. @throws what the callback throws. */
  end(): void {
    if (this.#thrown !== undefined) throw this.#thrown.error;
    const { phase, total } = this.#last;
    this.#tell({ phase, completed: total, total, fraction: 1 });
  }

  /** `share` is a fraction of the progress that was left when the phases began. */
  #moveTo(share: number): void {
    this.#fraction = Math.max(this.#fraction, this.#from + (1 - this.#from) * share);
  }

  #look(): void {
    const isNew = this.#isNew;
    this.#isNew = false;
    if (isNew || this.#thrown !== undefined) return;
    const end = this.#from + (1 - this.#from) * ENDS[this.#last.phase];
    this.#fraction += Math.max(end - this.#fraction, 0.01 * (1 - this.#fraction)) * STEP;
    try {
      this.#tell({ ...this.#last, fraction: this.#fraction });
    } catch (error) {
      this.#thrown = { error };
    }
  }
}
