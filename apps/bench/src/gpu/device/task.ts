/** Work for the GPU that is timed, and its times. */

export type Recording = (encoder: GPUCommandEncoder) => void;

/** What is timed; all of it is recorded, so that no step waits for the host. */
export interface Task {
  /** Fresh input. */
  readonly refresh: Recording;
  /** Brings the input to its place; not counted. */
  readonly prepare: Recording;
  readonly work: Recording;
  /** Checks what the work has done; not counted. */
  readonly check: Recording;
}

/** The clock of a time: the GPU's timestamps, or the host's until a queue has finished. */
export type Clock = 'gpu' | 'host';

export interface Timing {
  readonly clock: Clock;
  /** How many times the work was done in a sample. */
  readonly calls: number;
  /** Milliseconds of one piece of work, one number a sample. */
  readonly milliseconds: readonly number[];
}
