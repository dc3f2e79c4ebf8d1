/**
 * Which sorter serves large requests: threads, by the first way that works here; else the calling
 * thread with its kernels; else the calling thread in plain TypeScript.
 */

import { BackendFailedError, type SortWarning } from '@keysweep/core';
import { THREADS } from '#threads';
import type { Arena } from '../arena/arena.js';
import { callingThreadSorter, PlainSorter } from './calling-thread-sorters.js';
import type { LargeSorter, ThreadOptions, Way } from './large-sorter.js';

/** Makes large sorters, and remembers the ways that did not work. */
export class LargeSorterStarter {
  readonly #options: ThreadOptions;
  /** The ways that are not known to fail, the one to use first. */
  readonly #ways: Way[];
  readonly #failures: Error[] = [];
  #warnings: readonly SortWarning[] = [];

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#ways = [...THREADS.ways(options)];
  }

  /** How many threads a large sorter has or would have; 0 where it is the calling one alone. */
  get threads(): number {
    return this.#ways.length === 0 ? 0 : THREADS.count(this.#options);
  }

  /** Whether the calling thread can sort in the place of threads, by the same kernels. */
  get hasKernels(): boolean {
    return !this.#options.plain && this.threads > 0;
  }

  /** What was lost so far. */
  get warnings(): readonly SortWarning[] {
    return this.#warnings;
  }

  /** Starts threads over `arena`. @throws BackendFailedError when there is no memory. */
  async start(arena: () => Arena): Promise<LargeSorter> {
    for (let way = this.#ways[0]; way !== undefined; way = this.#ways[0]) {
      try {
        return await way.start(this.#options, arena);
      } catch (error) {
        this.drop(error);
      }
    }
    if (this.#options.plain) return new PlainSorter();
    try {
      return callingThreadSorter(arena());
    } catch (cause) {
      throw new BackendFailedError('cpu', `no memory for its kernels: ${cause}`, { cause });
    }
  }

  /** Gives up the way in use: `cause` kept its threads from starting. */
  drop(cause: unknown): void {
    const way = this.#ways.shift();
    if (way === undefined) return;
    const failure = new Error(`${way.name}: ${String(cause)}`, { cause });
    forgetFrames(failure);
    this.#failures.push(failure);
    if (this.#ways.length === 0) this.#warn(noThreads(this.#failures));
    else if (way.isNamed) this.#warn(notUsable(way, cause));
  }

  #warn(warning: SortWarning): void {
    forgetFrames(warning.cause);
    this.#warnings = [...this.#warnings, warning];
  }
}

/**
 * Has V8 write the stack of an error, and of its causes, as text. Until then they hold what their
 * frames refer to: a request, and its arrays.
 */
function forgetFrames(error: unknown): void {
  for (let e = error; e instanceof Error; e = e.cause) void e.stack;
}

const notUsable = ({ name }: Way, cause: unknown): SortWarning => ({
  code: 'worker-not-usable',
  message:
    `${name} cannot be used (${String(cause)}), so keysweep looks for its own worker. ` +
    'Let it name or make a worker that runs @keysweep/cpu/worker, or leave the option out.',
  cause,
});

function noThreads(failures: readonly Error[]): SortWarning {
  const tried = failures.map(({ message }) => message).join('; ');
  return {
    code: 'no-threads',
    message:
      `no thread could be started, so the calling thread sorts, in slices (${tried}). ` +
      THREADS.remedy(),
    cause: new AggregateError(failures, 'no thread could be started'),
  };
}
