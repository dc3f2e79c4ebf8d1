/** Who divides and sorts: this process, in its memory, or child processes of it. */

import type { MemoryPlan } from '../divide/memory-plan.js';
import type { Part } from '../divide/part.js';
import type { Parts } from '../divide/partition.js';
import type { Source } from '../open/source.js';
import type { ByteSink, ProcessReport } from '../options.js';
import type { Written } from '../write/notes.js';

/** Parts in files, and how many threads divided at the same time, in all processes. */
export interface Partitioned extends Parts {
  readonly threads: number;
}

export interface Executor {
  /** How the memory of this process is divided, or the memory of each child process. */
  readonly memoryPlan: MemoryPlan;
  /** What each child process did; empty where there are none. */
  readonly reports: readonly ProcessReport[];
  /** Partitions a source into files whose names begin with `path`. */
  partition(source: Source, path: string): Promise<Partitioned>;
  /**
   * Sorts `parts` of `source`, or all of it if there are none, and writes them to `output`, a file
   * that exists or a sink. The first is written at `position`. `note` is told how many of the first
   * ones are written, if not after every part.
   */
  sort(
    source: Source,
    parts: readonly Part[] | undefined,
    output: string | ByteSink,
    position: number,
    note: (written: Written) => Promise<void>,
  ): Promise<void>;
  /** Gives back what it holds, once that has ended. */
  close(): Promise<void>;
}
