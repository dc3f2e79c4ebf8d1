/** Sorts of files to which something happens, and what is there afterwards. */

import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExternalError, type SortFileOptions, sortFile } from '@keysweep/external';
import { localStorage, type Storage } from '@keysweep/external/storage';
import { childrenOf, type Threads } from '../soak/in-node.js';
import type { Round } from './draw.js';
import type { Waits } from './waits.js';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** What a round found wrong. */
export class ChaosFault extends Error {}

/** Why a sort shall end. */
class Meant extends Error {}

export interface Files {
  readonly folder: string;
  readonly input: string;
  readonly output: string;
  readonly sorted: Buffer;
  /** What is there before; undefined for none. */
  readonly old: Buffer | undefined;
}

/** Makes the files of a round, in an empty folder. */
export function makeFiles({ width, count, hasOld, data }: Round, folder: string): Files {
  mkdirSync(folder, { recursive: true });
  const bytes = Buffer.from(data.fill(new Uint8Array(width * count)).buffer);
  // Few keys: most records tie with others, and have to keep their order.
  for (let at = 0; width > 4 && at < bytes.length; at += width) {
    bytes.writeUInt32BE(data.below(1000), at);
  }
  const [input, output] = [join(folder, 'in'), join(folder, 'out')];
  writeFileSync(input, bytes);
  const old = hasOld ? Buffer.from('what was there') : undefined;
  if (old !== undefined) writeFileSync(output, old);
  return { folder, input, output, sorted: sortedCopy(bytes, width), old };
}

/** By the runtime's own sort. */
function sortedCopy(bytes: Buffer, width: number): Buffer {
  if (width === 4) {
    const numbers = new Uint32Array(bytes.length / 4);
    new Uint8Array(numbers.buffer).set(bytes);
    return Buffer.from(numbers.sort().buffer);
  }
  const rows = Array.from({ length: bytes.length / width }, (_, row) => row);
  const keyOf = (row: number): number => bytes.readUInt32BE(row * width);
  rows.sort((a, b) => keyOf(a) - keyOf(b));
  return Buffer.concat(rows.map((row) => bytes.subarray(row * width, (row + 1) * width)));
}

/** What the output is: as it was, the whole new one, or neither. */
export function stateOf({ output, sorted, old }: Files): 'old' | 'new' | 'neither' {
  let now: Buffer | undefined;
  try {
    now = readFileSync(output);
  } catch {
    now = undefined;
  }
  if (now === undefined || old === undefined ? now === old : now.equals(old)) return 'old';
  return now?.equals(sorted) ? 'new' : 'neither';
}

/** @throws ChaosFault unless nothing is in the folder but the input and the output */
export function assertTidy({ folder }: Files, others: readonly string[] = []): void {
  const known = ['in', 'out', ...others];
  const left = readdirSync(folder).filter((name) => !known.includes(name));
  if (left.length > 0) throw new ChaosFault(`left in the folder: ${left.join(', ')}`);
}

const optionsOf = ({ layout, memory, processes }: Round): SortFileOptions => ({
  ...layout,
  memory: memory * Math.max(1, processes),
  ...(processes > 0 && { processes }),
});

/**
 * Sorts while something happens. Resolves to how it ended.
 * @throws ChaosFault
 */
export async function runFileRound(
  round: Round,
  files: Files,
  threads: Threads,
  waits: Waits,
): Promise<'done' | 'failed'> {
  const { fault } = round;
  if (fault === 'process-killed' || fault === 'process-killed-resumed') {
    return runKilled(round, files, waits);
  }
  if (fault === 'disk-full') return runOnFullDisk(round, files, waits);
  return judged(round, files, () =>
    waits.until(() => 'the sort', sortBeset(round, files, threads)),
  );
}

/** The end of a sort, whose output has to fit it. @throws ChaosFault */
async function judged(
  { fault }: Round,
  files: Files,
  sort: () => Promise<void>,
): Promise<'done' | 'failed'> {
  let error: unknown;
  const ended = await sort().then(
    () => 'done' as const,
    (thrown: unknown) => {
      error = thrown;
      return 'failed' as const;
    },
  );
  const state = stateOf(files);
  if (state !== (ended === 'done' ? 'new' : 'old')) {
    throw new ChaosFault(`the sort ${ended} (${error}), and the output is ${state}`);
  }
  const isClear = error === undefined || error instanceof ExternalError || error instanceof Meant;
  // Whoever had the thread says so: a backend, or the sort.
  const isOfThread = fault === 'thread-ends' && /thread/.test(String(error));
  if (!isClear && !isOfThread) throw new ChaosFault(`an error for nobody: ${String(error)}`);
  assertTidy(files);
  return ended;
}

async function sortBeset(round: Round, files: Files, threads: Threads): Promise<void> {
  const { fault, phase, telling, milliseconds } = round;
  const controller = new AbortController();
  const before = childrenOf(process.pid);
  let told = 0;
  const onProgress: SortFileOptions['onProgress'] = (progress) => {
    if (progress.phase !== phase || ++told !== telling) return;
    if (fault === 'abort') controller.abort(new Meant('enough'));
    if (fault === 'callback-throws') throw new Meant('it does not like it');
  };
  const strike = (): void => {
    if (fault === 'thread-ends') void threads.live[0]?.terminate();
    const children = childrenOf(process.pid).filter((pid) => !before.includes(pid));
    if (fault === 'child-killed') children.slice(0, 1).forEach(kill);
    if (fault === 'children-killed') children.forEach(kill);
  };
  const timer = setTimeout(strike, milliseconds);
  const restore = besetStorage(round);
  try {
    const { signal } = controller;
    await sortFile(files.input, files.output, { ...optionsOf(round), onProgress, signal });
  } finally {
    restore();
    clearTimeout(timer);
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

const later = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Has reads or writes of this process fail once, or writes be slow. Returns what undoes it. */
function besetStorage({ fault, telling }: Round): () => void {
  const storage = localStorage as { -readonly [Name in keyof Storage]: Storage[Name] };
  const { open, write } = storage;
  let [reads, writes] = [0, 0];
  if (fault === 'read-fails') {
    storage.open = async (path) => {
      const { readNow: _, ...file } = await open(path);
      return {
        ...file,
        async read(into, from) {
          if (++reads === 3 * telling) throw new ExternalError('input/output error (EIO)');
          await file.read(into, from);
        },
      };
    };
  }
  if (fault === 'write-fails' || fault === 'slow-writes') {
    storage.write = async (path, from) => {
      const stream = await write(path, from);
      return {
        close: () => stream.close(),
        abort: () => stream.abort(),
        async write(bytes) {
          if (fault === 'slow-writes') await later(2 * telling);
          else if (++writes === telling) throw new ExternalError('input/output error (EIO)');
          await stream.write(bytes);
        },
      };
    };
  }
  return () => {
    Object.assign(storage, { open, write });
  };
}

/** What a process that sorts, and ends itself, is told. */
export interface Victim {
  readonly input: string;
  readonly output: string;
  readonly options: SortFileOptions;
  readonly phase: string;
  readonly telling: number;
}

/** Sorts in this process, until it ends itself. */
export async function runVictim({ input, output, options, phase, telling }: Victim): Promise<void> {
  let told = 0;
  await sortFile(input, output, {
    ...options,
    onProgress: (progress) => {
      if (progress.phase === phase && ++told === telling) process.kill(process.pid, 'SIGKILL');
    },
  });
}

/** A process is killed while it sorts; another sorts the same, and tidies. */
async function runKilled(round: Round, files: Files, waits: Waits): Promise<'done' | 'failed'> {
  const { phase, telling, fault } = round;
  const resume = fault === 'process-killed-resumed';
  const options = { ...optionsOf(round), ...(resume && { resume }) };
  const { input, output } = files;
  const victim: Victim = { input, output, options, phase, telling };
  const args = ['chaos', '--victim', JSON.stringify(victim)];
  const child = fork(MAIN, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const what = (): string => `process ${child.pid}, which ends itself`;
  const [, signal] = await waits.until(what, once(child, 'exit'));
  const state = stateOf(files);
  const expected = signal === 'SIGKILL' ? 'old' : 'new';
  if (state !== expected) throw new ChaosFault(`killed by ${signal}, and the output is ${state}`);
  const ended = await judged(round, files, () =>
    waits.until(() => 'the sort after it', sortFile(input, output, options)),
  );
  if (ended !== 'done') throw new ChaosFault('the sort after one that was killed failed');
  return signal === 'SIGKILL' ? 'failed' : 'done';
}

/** A file system of few megabytes, made by root; undefined where that cannot be. */
function smallDisk(folder: string, bytes: number): (() => void) | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    return undefined;
  }
  return () => void execFileSync('umount', [folder], { stdio: 'ignore' });
}

/** Whether rounds of full disks can run here; if not, why. */
export function whyNoDisk(folder: string): string | undefined {
  mkdirSync(folder, { recursive: true });
  const end = smallDisk(folder, 65_536);
  end?.();
  return end === undefined ? 'only root can mount a small disk' : undefined;
}

/** Another program fills the disk while the sort is at work on it. */
async function runOnFullDisk(round: Round, given: Files, waits: Waits): Promise<'done' | 'failed'> {
  const folder = join(given.folder, 'disk');
  mkdirSync(folder);
  const size = round.width * round.count;
  const unmount = smallDisk(folder, 3 * size + 2_000_000);
  if (unmount === undefined) throw new ChaosFault('a small disk cannot be mounted');
  try {
    const output = join(folder, 'out');
    if (given.old !== undefined) writeFileSync(output, given.old);
    const files = { ...given, folder, output };
    let told = 0;
    const fill = (): void => {
      try {
        writeFileSync(join(folder, 'other'), new Uint8Array(8 * size));
      } catch {
        // It is full now.
      }
    };
    const onProgress: SortFileOptions['onProgress'] = ({ phase }) => {
      if (phase === round.phase && ++told === round.telling) fill();
    };
    return await judged(round, files, async () => {
      try {
        const sorting = sortFile(given.input, output, { ...optionsOf(round), onProgress });
        await waits.until(() => 'the sort', sorting);
      } finally {
        rmSync(join(folder, 'other'), { force: true });
      }
    });
  } finally {
    unmount();
  }
}
