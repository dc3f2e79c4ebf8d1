/** Processes that work for a sort of the cluster, one of them perhaps with a fault. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isThorough } from '@keysweep/conformance/data';

const WORKERS = isThorough ? 4 : 2;
/** Milliseconds of silence after which a worker's jobs are given to another. */
export const LOCK = 1000;
export const PROGRAM = fileURLToPath(new URL('./worker.mjs', import.meta.url));

export interface Fault {
  readonly kind:
    | 'killed'
    | 'stalled'
    | 'twice'
    | 'failing'
    | 'changing'
    | 'ended'
    | 'held'
    | 'late';
  readonly stage: 'sample' | 'partition' | 'sort' | 'write';
}

/** Workers, which end with `end`. */
export class Workers {
  readonly #children: readonly ChildProcess[];

  /** `token` is a file by which workers agree on who has the fault. */
  constructor(connection: string, queue: string, token: string, fault?: Fault) {
    this.#children = Array.from({ length: WORKERS }, (_, i) => {
      const settings = {
        connection,
        queue,
        name: `worker-${i}`,
        lockDuration: LOCK,
        roots: [tmpdir()],
      };
      const given = fault === undefined ? settings : { ...settings, fault: { ...fault, token } };
      return fork(PROGRAM, [JSON.stringify(given)]);
    });
  }

  /** Resolves when all of them wait for jobs. */
  async begun(): Promise<void> {
    await Promise.all(this.#children.map((child) => once(child, 'message')));
  }

  /** How many were ended by a signal. */
  async end(): Promise<number> {
    for (const child of this.#children) if (child.connected) child.disconnect();
    const ended = this.#children.map(async (child) => {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return child.signalCode === null ? 0 : 1;
    });
    return (await Promise.all(ended)).reduce<number>((sum, one) => sum + one, 0);
  }
}
