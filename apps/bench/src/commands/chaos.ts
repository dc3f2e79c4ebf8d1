/**
 * `chaos`: sorts of files and sorts by workers, to each of which something happens. The output has
 * to be what it was, or the whole new one, and nothing may be left.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runSeed } from '@keysweep/conformance/data';
import {
  CLUSTER_FAULTS,
  describeRound,
  drawRound,
  type Fault,
  FILE_FAULTS,
  type Round,
} from '../chaos/draw.js';
import { ChaosFault, makeFiles, runFileRound, runVictim, whyNoDisk } from '../chaos/files.js';
import { Waits } from '../chaos/waits.js';
import { ChaosStore, runClusterRound, runWorkerJob } from '../chaos/workers.js';
import { optionalNumber, wholeNumber } from '../program/options.js';
import { formatCount } from '../program/table.js';
import { lasting } from '../soak/counts.js';
import { childrenOf, measureMemory, Threads } from '../soak/in-node.js';

export const help: string = `Sorts files, and has something happen to each: an abort in any phase, a
callback that throws, reads and writes that fail or are slow, threads that end, child processes and
whole processes that are killed, a disk that another program fills (by root), a clock that steps;
and by two workers of a store: one that is killed, or stopped until its jobs are others', a store
that is killed, an abort, jobs that come twice. After each the output is what it was or the whole
new one, and no temporary file, descriptor, thread, process, timer or listener is left. Prints
counts each minute, and on a failure what repeats it; of a round that does not end, what it waits
for.

  --minutes N   (5)
  --seed S      draws the same rounds again (a new one each time)
  --round K     runs this round alone
  --rounds N    ends after N rounds
  --no-workers  leaves out what needs a store`;

/** Milliseconds that a round may take, on a busy machine. */
const LONGEST = 180_000;

/** What this process holds that a round has to give back. */
interface Held {
  readonly threads: number;
  readonly processes: number;
  readonly descriptors: number;
  readonly timers: number;
  readonly listeners: number;
}

function held(threads: Threads): Held {
  const { descriptors = 0, processListeners = 0 } = measureMemory();
  return {
    threads: threads.live.length,
    processes: childrenOf(process.pid).length,
    descriptors,
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    listeners: processListeners,
  };
}

/** What there is more of than before, for longer than things take to end. */
async function leftOver(before: Held, threads: Threads, fault: Fault): Promise<string | undefined> {
  return lasting(() => {
    const now = held(threads);
    // The look itself waits by a timer. Files that a thread is about to open when somebody ends it
    // stay open in Node.js, whoever wrote the thread.
    const more = (Object.keys(before) as (keyof Held)[])
      .filter((name) => name !== 'descriptors' || fault !== 'a thread that ends')
      .filter((name) => now[name] > before[name]);
    return more.length === 0
      ? undefined
      : more.map((name) => `${name}: ${now[name]} after ${before[name]}`).join(', ');
  });
}

export async function run(args: string[]): Promise<boolean> {
  const text = { type: 'string' } as const;
  const { values: given } = parseArgs({
    args,
    options: {
      minutes: { ...text, default: '5' },
      seed: text,
      round: text,
      rounds: text,
      'no-workers': { type: 'boolean' },
      victim: text,
      worker: text,
    },
  });
  if (given.victim !== undefined) return runVictim(JSON.parse(given.victim)).then(() => true);
  if (given.worker !== undefined) return runWorkerJob(JSON.parse(given.worker)).then(() => true);
  const minutes = wholeNumber('--minutes', given.minutes, 1);
  const seed = optionalNumber('--seed', given.seed, 0) ?? runSeed();
  const only = optionalNumber('--round', given.round, 0);
  const most = optionalNumber('--rounds', given.rounds, 1) ?? Number.POSITIVE_INFINITY;
  const root = mkdtempSync(join(tmpdir(), 'keysweep-chaos-'));
  const why = whyNoDisk(join(root, 'try'));
  if (why !== undefined) console.log(`no disk is full in this run: ${why}`);
  const faults: Fault[] = FILE_FAULTS.filter(
    (fault) => why === undefined || fault !== 'a disk that is full',
  );
  if (!given['no-workers']) faults.push(...CLUSTER_FAULTS);
  const threads = new Threads();
  const store = new ChaosStore();
  const counts = new Map<string, number>();
  console.log(`Seed ${seed}, ${minutes} minutes, ${faults.length} faults`);
  const start = performance.now();
  const passed = (): number => (performance.now() - start) / 60_000;
  const tell = (): void => {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const listed = [...counts].sort().map(([what, count]) => `${what} ${count}`);
    console.log(
      `${passed().toFixed(1)} min: ${formatCount(all)} rounds, seed ${seed}: ${listed.join('; ')}`,
    );
  };
  // Node opens files of its own when it first works on some, or starts threads and processes.
  const warmUp = { ...drawRound(seed, 0, ['nothing']), memory: 400_000, hasOld: false };
  for (const [i, processes] of [0, 2].entries()) {
    const files = makeFiles({ ...warmUp, processes }, join(root, `warm-up-${i}`));
    await runFileRound({ ...warmUp, processes }, files, threads, new Waits());
  }
  let told = 1;
  let done = 0;
  let number = only ?? 0;
  try {
    for (; done < (only === undefined ? most : 1) && passed() < minutes; number++, done++) {
      const round = drawRound(seed, number, faults);
      const ended = await runRound(round, join(root, `${number}`), threads, store);
      const what = `${round.fault}: ${ended}`;
      counts.set(what, (counts.get(what) ?? 0) + 1);
      if (passed() < told) continue;
      told++;
      tell();
    }
  } catch (error) {
    tell();
    const { message, stack } = error as Error;
    const what = describeRound(drawRound(seed, number, faults));
    const where = error instanceof ChaosFault ? '' : `\n${stack}`;
    console.log(`failed: --seed ${seed} --round ${number}: ${what}: ${message}${where}`);
    // What does not end would keep this process.
    if (message.startsWith('it does not end')) process.exit(1);
    return false;
  } finally {
    threads.close();
    await store.stop();
    rmSync(root, { recursive: true, force: true });
  }
  tell();
  console.log('nothing wrong');
  return true;
}

/** Runs a round, and sees that nothing of it is left. @throws ChaosFault */
async function runRound(
  round: Round,
  folder: string,
  threads: Threads,
  store: ChaosStore,
): Promise<'done' | 'failed'> {
  const isOfWorkers = round.fault.startsWith('workers');
  if (isOfWorkers) await store.connection();
  const files = makeFiles(round, folder);
  const before = held(threads);
  const now = Date.now;
  let looks = 0;
  // Every other look at the clock is hours away from the one before.
  Date.now = () => now() + (looks++ % 2) * round.clock * 3_600_000;
  let ended: 'done' | 'failed';
  const waits = new Waits();
  let timer: NodeJS.Timeout | undefined;
  const endless = new Promise<never>((_, reject) => {
    const giveUp = (): void =>
      reject(new ChaosFault(`it does not end in ${LONGEST / 1000} s: it waits for ${waits}`));
    timer = setTimeout(giveUp, LONGEST);
  });
  try {
    ended = await Promise.race([
      endless,
      isOfWorkers
        ? runClusterRound(round, files, store, waits)
        : runFileRound(round, files, threads, waits),
    ]);
  } finally {
    clearTimeout(timer);
    Date.now = now;
  }
  const left = await leftOver(before, threads, round.fault);
  if (left !== undefined) throw new ChaosFault(`left over: ${left}`);
  rmSync(folder, { recursive: true });
  return ended;
}
