/** Work for the GPU that is timed, and what comes of it. */

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

/**
 * Who told the time: timestamps that the GPU wrote, or the news on the host that a queue has
 * finished.
 */
export type Clock = 'gpu' | 'host';

export interface Timing {
  readonly clock: Clock;
  /** How often the work was done in a sample. */
  readonly calls: number;
  /** Milliseconds of one piece of work, one number a sample. */
  readonly milliseconds: readonly number[];
}
