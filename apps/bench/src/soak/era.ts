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
  const { seed, names, host, devices, maxOnGpu, count } = stage;
  const random = new Random(seed, number, 1);
  // A device is opened, and its kernels are compiled, once an era.
  const isOnGpu = devices !== undefined && random.below(2) === 0;
  const usable = names.filter((name) => name !== 'webgpu' || isOnGpu);
  const own: Scope = {
    backends: usable.length === 0 ? ['auto'] : usable,
    most: { auto: 2e6, cpu: 2e6, builtin: 3e5, webgpu: maxOnGpu, webgl2: 0 },
  };
  const members: Member[] = [];
  const size = 1 + random.below(3);
  for (let i = 0; i < size; i++) {
    const make = maker(random, names, i === 0 && isOnGpu ? devices : undefined);
    members.push({ make, sorter: await make() });
  }
  /** Sorters that were closed, in the midst of the era. */
  const closed = new Set<Sorter>();
  const endings: Promise<unknown>[] = [];
  const later: (() => void)[] = [];
  let hasFault = false;
  const fault = anyOf(FAULTS, random);
  const [from, after] = [random.below(CALLS), random.below(40)];
  const atOnce = 1 + random.below(8);
  const first = number * CALLS;
  let next = first;
  let found: SoakFault | undefined;

  /** What each call asks for, so far. */
  const told = new Map<number, string>();
  // A promise of the product's that rejects unheard would end the caller's process.
  const onUnhandled = (error: unknown): void => {
    const { stack = String(error) } = error as Error;
    const number = Number(/ call (\d+)/.exec(stack)?.[1] ?? first);
    const call = told.get(number) ?? '';
    found ??= new SoakFault(number, `${call}: nobody handles a promise's rejection: ${stack}`);
  };
  const endHearing = host.onUnhandled(onUnhandled);
  const strike = async (): Promise<void> => {
    hasFault ||= fault === 'end a thread' || fault === 'lose the GPU';
    const [member] = members as [Member];
    if (fault === 'end a thread') await host.endThread();
    if (fault === 'lose the GPU') devices?.live[0]?.destroy();
    if (fault === 'release') await member.sorter.release();
    if (fault !== 'close') return;
    closed.add(member.sorter);
    const closing = member.sorter.close();
    member.sorter = await member.make();
    await closing;
  };

  const note = (call: Call, error: Error): void => {
    const { stack } = (error.cause ?? error) as Error;
    found ??= new SoakFault(call.number, `${describeCall(call)}: ${error.message}\n${stack}`);
  };
  const judge = (call: Call, check: () => void): void => {
    try {
      check();
    } catch (error) {
      note(call, error as Error);
    }
  };

  const serve = async (call: Call): Promise<void> => {
    // The first sorter alone may have a GPU.
    const at = call.backend === 'webgpu' ? 0 : call.sorter % members.length;
    const { sorter } = members[at] as Member;
    try {
      count(
        await serveCall(call, {
          sorter,
          isClosed: () => closed.has(sorter),
          hasFault: () => hasFault,
          watchListeners: host.watchListeners,
          checkLater: (check) => later.push(() => judge(call, check)),
        }),
      );
    } catch (error) {
      note(call, error as Error);
    }
  };
  const work = async (): Promise<void> => {
    while (next < first + CALLS && found === undefined && !isOver()) {
      const call = drawCall(seed, next++, own);
      told.set(call.number, describeCall(call));
      if (call.number === first + from) {
        const striking = new Promise((resolve) => setTimeout(resolve, after)).then(strike);
        endings.push(
          striking.catch((error: Error) => {
            found ??= new SoakFault(call.number, `${fault}: ${error.stack}`);
          }),
        );
      }
      await serve(call);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await Promise.all(endings);
  for (const { sorter } of members) await sorter.release();
  for (const check of later) check();
  // A device keeps a table of numbers, which all sorts share.
  const kept = await lasting(() => {
    const [live, buffers] = [devices?.live.length ?? 0, devices?.buffers ?? 0];
    return buffers > live ? `${buffers} GPU buffers after release()` : undefined;
  });
  await Promise.all(members.map(({ sorter }) => sorter.close()));
  const left = await lasting(() => {
    const threads = host.threadCount();
    if (threads > 0) return `${threads} threads are left`;
    const live = devices?.live.length ?? 0;
    return live > 0 ? `${live} GPU devices are left` : undefined;
  });
  devices?.forget();
  endHearing();
  if (found !== undefined) throw found;
  if (kept !== undefined) throw new SoakFault(first, kept);
  if (left !== undefined) throw new SoakFault(first, left);
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
