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
  labelOf,
  type Round,
} from '../chaos/draw.js';
import { ChaosFault, makeFiles, runFileRound, runVictim, whyNoDisk } from '../chaos/files.js';
import { Waits } from '../chaos/waits.js';
import { ChaosStore, runClusterRound, runWorkerJob } from '../chaos/workers.js';
import type { Command } from '../program/command.js';
import { optionalNumber, wholeNumber } from '../program/options.js';
import { formatCount } from '../program/table.js';
import { lasting } from '../soak/counts.js';
import { childrenOf, measureMemory, Threads } from '../soak/in-node.js';

const help = `Sorts files, and has something happen to each: an abort in any phase, a
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
const ENDLESS = 'it does not end';

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
      .filter((name) => name !== 'descriptors' || fault !== 'thread-ends')
      .filter((name) => now[name] > before[name]);
    return more.length === 0
      ? undefined
      : more.map((name) => `${name}: ${now[name]} after ${before[name]}`).join(', ');
  });
}

async function run(args: string[]): Promise<boolean> {
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
  // What the program is to the children that it starts.
  if (given.victim !== undefined) return runVictim(JSON.parse(given.victim)).then(() => true);
  if (given.worker !== undefined) return runWorkerJob(JSON.parse(given.worker)).then(() => true);
  const only = optionalNumber('--round', given.round, 0);
  const most = optionalNumber('--rounds', given.rounds, 1) ?? Number.POSITIVE_INFINITY;
  const settings = {
    seed: optionalNumber('--seed', given.seed, 0) ?? runSeed(),
    minutes: wholeNumber('--minutes', given.minutes, 1),
    first: only ?? 0,
    rounds: only === undefined ? most : 1,
    hasWorkers: !given['no-workers'],
  };
  const root = mkdtempSync(join(tmpdir(), 'keysweep-chaos-'));
  const place = { root, threads: new Threads(), store: new ChaosStore() };
  try {
    return await runRounds(settings, place);
  } finally {
    place.threads.close();
    await place.store.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Where rounds run. */
interface Place {
  /** A folder of their own. */
  readonly root: string;
  readonly threads: Threads;
  readonly store: ChaosStore;
}

/** What can happen on this machine. */
function faultsHere(root: string, hasWorkers: boolean): Fault[] {
  const why = whyNoDisk(join(root, 'try'));
  if (why !== undefined) console.log(`no disk is full in this run: ${why}`);
  const all = { ...FILE_FAULTS, ...(hasWorkers && CLUSTER_FAULTS) };
  const faults = Object.keys(all) as Fault[];
  return faults.filter((fault) => why === undefined || fault !== 'disk-full');
}

/** Node opens files of its own when it first works on some, or starts threads and processes. */
async function warmUp(seed: number, { root, threads }: Place): Promise<void> {
  const calm = { ...drawRound(seed, 0, ['none']), memory: 400_000, hasOld: false };
  for (const processes of [0, 2]) {
    const files = makeFiles({ ...calm, processes }, join(root, `warm-up-${processes}`));
    await runFileRound({ ...calm, processes }, files, threads, new Waits());
  }
}

/** Runs rounds until the time is over, and prints them. Resolves to whether all passed. */
async function runRounds(
  {
    seed,
    minutes,
    first,
    rounds,
    hasWorkers,
  }: {
    readonly seed: number;
    readonly minutes: number;
    readonly first: number;
    readonly rounds: number;
    readonly hasWorkers: boolean;
  },
  place: Place,
): Promise<boolean> {
  const faults = faultsHere(place.root, hasWorkers);
  console.log(`Seed ${seed}, ${minutes} minutes, ${faults.length} faults`);
  const counts = new Map<string, number>();
  const start = performance.now();
  const passed = (): number => (performance.now() - start) / 60_000;
  const tell = (): void => {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const listed = [...counts].sort().map(([what, count]) => `${what} ${count}`);
    console.log(
      `${passed().toFixed(1)} min: ${formatCount(all)} rounds, seed ${seed}: ${listed.join('; ')}`,
    );
  };
  await warmUp(seed, place);
  let told = 1;
  for (let number = first; number - first < rounds && passed() < minutes; number++) {
    const round = drawRound(seed, number, faults);
    try {
      const what = `${labelOf(round.fault)}: ${await runRound(round, place)}`;
      counts.set(what, (counts.get(what) ?? 0) + 1);
    } catch (error) {
      tell();
      const { message, stack } = error as Error;
      const where = error instanceof ChaosFault ? '' : `\n${stack}`;
      const what = describeRound(round);
      console.log(`failed: --seed ${seed} --round ${number}: ${what}: ${message}${where}`);
      // What does not end would keep this process.
      if (message.startsWith(ENDLESS)) process.exit(1);
      return false;
    }
    if (passed() < told) continue;
    told++;
    tell();
  }
  tell();
  console.log('nothing wrong');
  return true;
}

/** Runs a round, and sees that nothing of it is left. @throws ChaosFault */
async function runRound(round: Round, { root, threads, store }: Place): Promise<'done' | 'failed'> {
  const folder = join(root, `${round.number}`);
  const isOfWorkers = round.fault in CLUSTER_FAULTS;
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
      reject(new ChaosFault(`${ENDLESS} in ${LONGEST / 1000} s: it waits for ${waits}`));
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

export const command: Command = { help, run };
