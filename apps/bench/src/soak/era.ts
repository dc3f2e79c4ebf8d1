/**
 * An era of a soak: some sorters, a hundred calls on them, several at a time, and one fault. At its
 * end all is closed, and nothing may be left. It is drawn from the run's seed and the era's number.
 */

import { Random } from '@keysweep/conformance/data';
import { type CpuOptions, cpu } from '@keysweep/cpu';
import { webgpu } from '@keysweep/webgpu';
import { type Backend, type BackendName, builtin, createSorter, type Sorter } from 'keysweep';
import { anyOf, type Call, describeCall, drawCall, type Scope } from './call.js';
import { type Devices, lasting } from './counts.js';
import type { Host } from './host.js';
import { type Outcome, serveCall } from './serve.js';

/** Calls of an era. */
export const CALLS = 100;

export interface Stage {
  readonly seed: number;
  readonly names: readonly (BackendName | 'auto')[];
  readonly host: Host;
  readonly devices: Devices | undefined;
  /** Most keys for the GPU. */
  readonly maxOnGpu: number;
  /** Counts how calls ended. */
  readonly count: (outcome: Outcome) => void;
}

/** A call that went wrong, or what an era has left behind. */
export class SoakFault extends Error {
  constructor(
    readonly call: number,
    message: string,
  ) {
    super(message);
  }
}

const FAULTS = ['none', 'none', 'end a thread', 'lose the GPU', 'close', 'release'] as const;

interface Member {
  readonly make: () => Promise<Sorter>;
  sorter: Sorter;
}

/**
 * Runs era `number` until it is over, or `isOver` says so.
 * @throws SoakFault
 */
export async function runEra(stage: Stage, number: number, isOver: () => boolean): Promise<void> {
  const era = new Era(stage, number, isOver);
  await era.open();
  await era.run();
  await era.settle();
}

class Era {
  readonly #stage: Stage;
  readonly #isOver: () => boolean;
  readonly #random: Random;
  /** What calls are drawn from. */
  readonly #scope: Scope;
  readonly #isOnGpu: boolean;
  readonly #members: Member[] = [];
  /** Sorters that were closed, in the midst of the era. */
  readonly #closed = new Set<Sorter>();
  /** Checks that are made when the sorters have let go of what they can. */
  readonly #later: (() => void)[] = [];
  /** The numbers of the first call and of the next one. */
  readonly #first: number;
  #next: number;
  /** What each call asked for. */
  readonly #told = new Map<number, string>();
  /** Whether a thread was ended or a device lost: calls may then fail. */
  #hasFault = false;
  /** The first thing that went wrong. */
  #found: SoakFault | undefined;
  #endHearing = (): void => {};

  constructor(stage: Stage, number: number, isOver: () => boolean) {
    const { seed, names, devices, maxOnGpu } = stage;
    this.#stage = stage;
    this.#isOver = isOver;
    this.#random = new Random(seed, number, 1);
    // A device is opened, and its kernels are compiled, once an era.
    this.#isOnGpu = devices !== undefined && this.#random.below(2) === 0;
    const usable = names.filter((name) => name !== 'webgpu' || this.#isOnGpu);
    this.#scope = {
      backends: usable.length === 0 ? ['auto'] : usable,
      most: { auto: 2e6, cpu: 2e6, builtin: 3e5, webgpu: maxOnGpu, webgl2: 0 },
    };
    this.#first = number * CALLS;
    this.#next = this.#first;
  }

  /** Makes the sorters, of which only the first may have a GPU. */
  async open(): Promise<void> {
    const { names, devices, host } = this.#stage;
    const size = 1 + this.#random.below(3);
    for (let i = 0; i < size; i++) {
      const make = maker(this.#random, names, i === 0 && this.#isOnGpu ? devices : undefined);
      this.#members.push({ make, sorter: await make() });
    }
    // A promise of the product's that rejects unheard would end the caller's process.
    this.#endHearing = host.onUnhandled((error) => {
      const { stack = String(error) } = error as Error;
      const number = Number(/ call (\d+)/.exec(stack)?.[1] ?? this.#first);
      const call = this.#told.get(number) ?? '';
      this.#fail(number, `${call}: nobody handles a promise's rejection: ${stack}`);
    });
  }

  /** Makes the calls, some at once, and has the fault happen a moment after one of them. */
  async run(): Promise<void> {
    const fault = anyOf(FAULTS, this.#random);
    const struck = this.#first + this.#random.below(CALLS);
    const after = this.#random.below(40);
    const atOnce = 1 + this.#random.below(8);
    let striking: Promise<void> | undefined;
    const work = async (): Promise<void> => {
      const end = this.#first + CALLS;
      while (this.#next < end && this.#found === undefined && !this.#isOver()) {
        const call = drawCall(this.#stage.seed, this.#next++, this.#scope);
        this.#told.set(call.number, describeCall(call));
        if (call.number === struck) {
          striking = new Promise((resolve) => setTimeout(resolve, after))
            .then(() => this.#strike(fault))
            .catch((error: Error) => this.#fail(call.number, `${fault}: ${error.stack}`));
        }
        await this.#serve(call);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    await striking;
  }

  /** Closes all. @throws SoakFault if a call went wrong, or something is left */
  async settle(): Promise<void> {
    const { devices, host } = this.#stage;
    for (const { sorter } of this.#members) await sorter.release();
    for (const check of this.#later) check();
    // A device keeps a table of numbers, which all sorts share.
    const kept = await lasting(() => {
      const [live, buffers] = [devices?.live.length ?? 0, devices?.buffers ?? 0];
      return buffers > live ? `${buffers} GPU buffers after release()` : undefined;
    });
    await Promise.all(this.#members.map(({ sorter }) => sorter.close()));
    const left = await lasting(() => {
      const threads = host.threadCount();
      if (threads > 0) return `${threads} threads are left`;
      const live = devices?.live.length ?? 0;
      return live > 0 ? `${live} GPU devices are left` : undefined;
    });
    devices?.forget();
    this.#endHearing();
    for (const what of [kept, left]) if (what !== undefined) this.#fail(this.#first, what);
    if (this.#found !== undefined) throw this.#found;
  }

  async #strike(fault: (typeof FAULTS)[number]): Promise<void> {
    const { devices, host } = this.#stage;
    this.#hasFault ||= fault === 'end a thread' || fault === 'lose the GPU';
    const [member] = this.#members as [Member];
    if (fault === 'end a thread') await host.endThread();
    if (fault === 'lose the GPU') devices?.live[0]?.destroy();
    if (fault === 'release') await member.sorter.release();
    if (fault !== 'close') return;
    this.#closed.add(member.sorter);
    const closing = member.sorter.close();
    member.sorter = await member.make();
    await closing;
  }

  async #serve(call: Call): Promise<void> {
    const at = call.backend === 'webgpu' ? 0 : call.sorter % this.#members.length;
    const { sorter } = this.#members[at] as Member;
    try {
      const outcome = await serveCall(call, {
        sorter,
        isClosed: () => this.#closed.has(sorter),
        hasFault: () => this.#hasFault,
        watchListeners: this.#stage.host.watchListeners,
        checkLater: (check) => this.#later.push(() => this.#judge(call, check)),
      });
      this.#stage.count(outcome);
    } catch (error) {
      this.#note(call, error as Error);
    }
  }

  #judge(call: Call, check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#note(call, error as Error);
    }
  }

  #note(call: Call, error: Error): void {
    const { stack } = (error.cause ?? error) as Error;
    this.#fail(call.number, `${describeCall(call)}: ${error.message}\n${stack}`);
  }

  #fail(call: number, message: string): void {
    this.#found ??= new SoakFault(call, message);
  }
}

/** Makes sorters of one kind: always the same backends with the same options. */
function maker(
  random: Random,
  names: readonly (BackendName | 'auto')[],
  devices: Devices | undefined,
): () => Promise<Sorter> {
  const options: CpuOptions = {
    threads: 1 + random.below(3),
    kernels: random.below(6) === 0 ? 'plain' : 'wasm',
    keepBytes: anyOf([0, 2 ** 28], random),
    threadsFrom: anyOf([2 ** 12, 2 ** 16, undefined], random),
    maxPartLength: anyOf([undefined, undefined, 5000, 60_000], random),
  };
  const maxChunkLength = anyOf([undefined, 3000], random);
  const allowSoftware = random.below(2) === 0;
  return async () => {
    const backends: Backend[] = [];
    if (devices !== undefined) {
      backends.push(webgpu({ requestAdapter: devices.requestAdapter, maxChunkLength }));
    }
    if (names.includes('cpu')) backends.push(cpu(options));
    return createSorter({
      backends: [...backends, builtin()],
      allowSoftware,
      // Threads that are ended are losses, and meant.
      onWarning: () => {},
    });
  };
}
