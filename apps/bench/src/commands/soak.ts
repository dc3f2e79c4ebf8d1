/**
 * `soak`: random calls for as long as one likes, with aborts, faults and several sorters at once.
 * Every result is checked, and what was taken has to come back.
 */

import { parseArgs } from 'node:util';
import { writeHeapSnapshot } from 'node:v8';
import { runSeed } from '@keysweep/conformance/data';
import type { BackendName } from 'keysweep';
import { GpuMachine } from '../gpu/device/machine.js';
import { MACHINE_FLAGS, MACHINE_HELP, machineOf } from '../gpu/device/options.js';
import { BROWSER_FLAGS, BROWSER_HELP } from '../pages/site.js';
import { soakInBrowser } from '../pages/soak.js';
import type { Command } from '../program/command.js';
import { oneOf, optionalNumber, someOf, wholeNumber } from '../program/options.js';
import { Devices } from '../soak/counts.js';
import { CALLS, runEra, SoakFault } from '../soak/era.js';
import { measureMemory, nodeHost, Threads } from '../soak/in-node.js';
import type { Outcome } from '../soak/serve.js';
import { WARM_UP, Watch } from '../soak/watch.js';

const BACKENDS = ['auto', 'cpu', 'webgpu', 'builtin'] as const satisfies (BackendName | 'auto')[];

const BROWSERS = ['chromium', 'firefox'] as const;

const help = `Calls sort, toSorted, sortPairs and argsort at random: all types, sizes
and options, views and shared memory, aborts in every phase, arrays that are detached, threads that
end, GPUs that are lost, sorters that are closed. Checks every result against an oracle, and what is
left after each era of ${CALLS} calls: threads, devices, GPU buffers, listeners on signals, file
descriptors, bytes. Prints counts each minute, and on a failure what repeats it.

No thread, device or listener may be left, and of GPU buffers one a device after release(). Against
the end of the first ${WARM_UP} eras, 4 descriptors more are allowed, 16 MiB of objects, 16 MiB of
array buffers, and 512 MiB of the process: allocators keep pieces. In a page its workers count,
and the memory of all of the browser's processes; Firefox tells nothing of objects and arrays.

  --page NAME        in a page of ${BROWSERS.join(' or ')}, which npm run test:soak builds
  --minutes N        (5)
  --seed S           draws the same calls again (a new one each time)
  --call K           runs the one era that has call K
  --from K           begins with the era that has call K (0)
  --snapshot FILE    where memory is left, writes a heap snapshot
  --backends LIST    of ${BACKENDS.join(', ')} (all; webgpu where there is an adapter)
  --longest-on-gpu N most keys for the GPU (20000; a real one can do with 2e6)
${MACHINE_HELP}
${BROWSER_HELP}`;

async function run(args: string[]): Promise<boolean> {
  const text = { type: 'string' } as const;
  const { values: given } = parseArgs({
    args,
    options: {
      ...MACHINE_FLAGS,
      ...BROWSER_FLAGS,
      page: text,
      minutes: { ...text, default: '5' },
      seed: text,
      call: text,
      from: { ...text, default: '0' },
      snapshot: text,
      backends: { ...text, default: BACKENDS.join(',') },
      'longest-on-gpu': { ...text, default: '20000' },
    },
  });
  const minutes = wholeNumber('--minutes', given.minutes, 1);
  const seed = optionalNumber('--seed', given.seed, 0) ?? runSeed();
  const call = optionalNumber('--call', given.call, 0);
  const from = wholeNumber('--from', given.from, 0);
  const names = someOf('--backends', given.backends, BACKENDS);
  const maxOnGpu = wholeNumber('--longest-on-gpu', given['longest-on-gpu'], 2);
  const firstEra = Math.floor((call ?? from) / CALLS);
  if (given.page !== undefined) {
    return soakInBrowser({
      browser: oneOf('--page', given.page, BROWSERS),
      minutes,
      seed,
      backends: names,
      maxOnGpu,
      first: firstEra,
      eras: call === undefined ? undefined : 1,
      chromium: given.chromium,
      flags: given.flags,
    });
  }
  const machine = names.includes('webgpu') ? await machineHere(given) : undefined;
  const devices = machine && new Devices(() => machine.adapter());
  const threads = new Threads();
  const counts: Partial<Record<Outcome, number>> = {};
  const stage = {
    seed,
    names: devices === undefined ? names.filter((name) => name !== 'webgpu') : names,
    host: nodeHost(threads),
    devices,
    maxOnGpu,
    count: (outcome: Outcome): void => {
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    },
  };
  console.log(`Seed ${seed}, ${stage.names.join(', ')}, ${minutes} minutes`);
  const start = performance.now();
  const end = call === undefined ? start + minutes * 60_000 : Number.POSITIVE_INFINITY;
  const isOver = (): boolean => performance.now() >= end;
  const watch = new Watch(seed, measureMemory, () => {
    if (given.snapshot !== undefined) writeHeapSnapshot(given.snapshot);
  });
  try {
    for (let era = firstEra; !isOver() && (call === undefined || era === firstEra); era++) {
      await runEra(stage, era, isOver);
      const left = { threads: threads.live.length, buffers: devices?.buffers ?? 0 };
      await watch.afterEra({ era, counts, ...left });
    }
  } catch (error) {
    if (!(error instanceof SoakFault)) throw error;
    await watch.tell();
    // One line, and behind it where that came from.
    const [line, ...stack] = error.message.split('\n');
    console.log([`failed: --seed ${seed} --call ${error.call}: ${line}`, ...stack].join('\n'));
    return false;
  } finally {
    threads.close();
  }
  await watch.tell();
  console.log('nothing wrong');
  return true;
}

/** This machine's GPU, or undefined with a line that says why there is none. */
async function machineHere(
  given: Parameters<typeof machineOf>[0],
): Promise<GpuMachine | undefined> {
  try {
    const machine = await GpuMachine.find(machineOf(given, false));
    const { info } = await machine.adapter();
    console.log(
      `GPU: ${[info.vendor, info.architecture, info.description].filter(Boolean).join(' ')}`,
    );
    return machine;
  } catch (error) {
    console.log(`without webgpu: ${(error as Error).message}`);
    return undefined;
  }
}

export const command: Command = { help, run };
