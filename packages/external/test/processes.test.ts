/** `sortFile` by child processes, on the CPU and on a GPU. */

import { spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import {
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  classNamed,
  DISTRIBUTIONS,
  isThorough,
  Random,
  runSeed,
  sample,
} from '@keysweep/conformance/data';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { chromiumFolder } from '../../../tools/chromium.js';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { maxOpenings } from '../../../tools/test/scratch-folder.js';
import {
  checkFile,
  ExternalError,
  type FileReport,
  type RecordKey,
  type SortFileOptions,
  type SortInput,
  sortFile,
} from '../dist/index.js';
import { sortedRecords } from './oracle.js';
import { scratch } from './scratch.js';

drawTests(1 / 2);

const SEED = runSeed();
const { path, names, write } = scratch();

const LENGTH = isThorough ? 400_000 : 24_000;
const OPTIONS = { type: 'u32', memory: 140_000, processes: 2 } as const;

async function sort(input: SortInput, options: SortFileOptions): Promise<FileReport> {
  let report: FileReport | undefined;
  const onReport = (given: FileReport): void => {
    report = given;
  };
  await sortFile(input, path('out'), { ...options, onReport });
  return report as FileReport;
}

/** Keys of a distribution in the file 'in', and their bytes. */
function keysFile(type: string, distribution: string, length = LENGTH): Buffer {
  const keys = classNamed(type).create(length);
  DISTRIBUTIONS.find(({ name }) => name === distribution)?.fill(keys, new Random(SEED));
  write('in', keys);
  return Buffer.from(keys.buffer as ArrayBuffer);
}

/** Child processes of this one, or of another. */
function childrenOf(pid = process.pid): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return listed === '' ? [] : listed.split(' ').map(Number);
}

/** Whether a process runs: one that has ended may wait for its parent to look. */
const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** What is left when a sort has ended: its input, its output, and no process that it started. */
function expectNothingLeft(before: readonly number[], files: readonly string[]): void {
  expect(names()).toEqual(files);
  expect(childrenOf().filter((pid) => !before.includes(pid))).toEqual([]);
}

describe('by child processes', () => {
  const cases = [
    { processes: 1, type: 'u64', distribution: 'random bits', order: 'ascending' },
    { processes: 2, type: 'u32', distribution: 'Zipf', order: 'descending' },
    { processes: 2, type: 'f64', distribution: 'random values', order: 'descending' },
    { processes: 4, type: 'i64', distribution: 'all equal', order: 'ascending' },
    { processes: 2, type: 'u16', distribution: 'sorted', order: 'ascending' },
  ] as const;

  it.each(sample(cases, 1, SEED))(
    '$processes sort $type, $distribution, $order',
    async ({ processes, type, distribution, order }) => {
      const before = childrenOf();
      const bytes = keysFile(classNameOf(type), distribution);
      const width = bytes.length / LENGTH;
      const memory = processes * 100_000;
      const report = await sort(path('in'), { type, memory, order, processes });
      const keys: RecordKey[] = [{ at: 0, type }];
      const expected = sortedRecords(bytes, { bytes: width, keys }, order);
      expect(readFileSync(path('out')).equals(expected), `seed ${SEED}`).toBe(true);
      expectNothingLeft(before, ['in', 'out']);
      expect(report.processes).toHaveLength(processes);
      // Each has memory for one thread.
      expect(report.threads).toBe(processes);
      expect(report.parts).toBeGreaterThan(8);
      // Each byte is read and written by a child, but for those of the sample.
      const sum = (name: 'parts' | 'bytesRead' | 'bytesWritten'): number =>
        report.processes.reduce((all, one) => all + one[name], 0);
      expect([sum('parts'), sum('bytesWritten')]).toEqual([report.parts, report.bytesWritten]);
      expect(sum('bytesRead')).toBe(report.bytesWritten);
    },
  );

  it('records that tie keep their order, of several files and of a stream', async () => {
    const width = 12;
    const bytes = new Random(SEED).fill(Buffer.alloc(width * LENGTH));
    // Few keys, and many of them: ties cross the stretches that processes divide.
    for (let i = 0; i < LENGTH; i++) bytes[i * width + 3] = (bytes[i * width + 3] as number) % 3;
    const half = width * Math.floor(LENGTH / 2);
    write('a', bytes.subarray(0, half));
    write('b', bytes.subarray(half));
    write('all', bytes);
    const keys: RecordKey[] = [{ at: 3, bytes: 1, order: 'descending' }];
    const expected = sortedRecords(bytes, { bytes: width, keys });
    const before = childrenOf();
    let open = 0;
    let stopped: number | undefined;
    const onProgress: SortFileOptions['onProgress'] = ({ phase, completed }) => {
      if (phase === 'sort')
        open = Math.max(open, ...childrenOf().map((pid) => maxOpenings(pid, path(''))));
      // The process that has the first stretch waits until the other one is done with the second.
      if (phase === 'sample' && stopped === undefined) {
        stopped = childrenOf().find((pid) => !before.includes(pid));
        process.kill(stopped as number, 'SIGSTOP');
      }
      if (phase === 'partition' && completed === bytes.length / 2) {
        process.kill(stopped as number, 'SIGCONT');
      }
    };
    const options = { record: { bytes: width, keys }, memory: 200_000, processes: 2, onProgress };
    const inputs = [() => [path('a'), path('b')], () => createReadStream(path('all'))];
    for (const input of sample(inputs, 1, SEED)) {
      await sort(input(), options);
      expect(readFileSync(path('out')).equals(expected), `seed ${SEED}`).toBe(true);
    }
    // Through the cache and past it, for each of the parts that are written at a time.
    expect(open).toBeGreaterThan(0);
    expect(open).toBeLessThan(20);
    expect(names()).toEqual(['a', 'all', 'b', 'out']);
  });

  it.each([
    [0, 1],
    [1000, 1],
    // It would fit into the memory of both together.
    [5000, 2],
  ])(
    '%i numbers take %i passes: what fits into the share of one is one part',
    async (n, passes) => {
      const bytes = keysFile('Uint32Array', 'random bits', n);
      const report = await sort(createReadStream(path('in')), OPTIONS);
      expect(report.passes).toBe(passes);
      expect(report.parts === 1).toBe(passes === 1);
      const sorted = new Uint32Array(new Uint8Array(bytes).buffer).sort();
      expect(readFileSync(path('out')).equals(Buffer.from(sorted.buffer))).toBe(true);
    },
  );
});

const classNameOf = (type: string): string =>
  ({
    ...{ u16: 'Uint16Array', u32: 'Uint32Array' },
    ...{ u64: 'BigUint64Array', i64: 'BigInt64Array', f64: 'Float64Array' },
  })[type] as string;

describe('a child process that is killed', () => {
  const moments = [
    ['partition', 2],
    ['sort', 3],
  ] as const;

  it.each(sample(moments, 1, SEED))(
    'while it is at %s, one of %i left, has its tasks done',
    async (at, processes) => {
      const before = childrenOf();
      const sorted = new Uint32Array(
        new Uint8Array(keysFile('Uint32Array', 'random bits', 2 * LENGTH)).buffer,
      ).sort();
      let killed: number[] = [];
      const report = await sort(path('in'), {
        ...{ type: 'u32', memory: processes * 80_000, processes },
        onProgress: ({ phase }) => {
          if (phase !== at || killed.length > 0) return;
          killed = childrenOf().filter((pid) => !before.includes(pid));
          killed.pop();
          for (const pid of killed) process.kill(pid, 'SIGKILL');
        },
      });
      expect(readFileSync(path('out')).equals(Buffer.from(sorted.buffer)), `seed ${SEED}`).toBe(
        true,
      );
      const ended = report.processes.filter(({ endedBy }) => endedBy === 'SIGKILL');
      expect(ended.map(({ pid }) => pid).sort()).toEqual([...killed].sort());
      expect(killed).toHaveLength(processes - 1);
      expectNothingLeft(before, ['in', 'out']);
    },
  );

  it.each(['sample', 'sort'])('with all others at %s is one line', async (at) => {
    const before = childrenOf();
    keysFile('Uint32Array', 'random bits');
    writeFileSync(path('out'), 'before');
    const onProgress: SortFileOptions['onProgress'] = ({ phase }) => {
      if (phase !== at) return;
      for (const pid of childrenOf()) if (!before.includes(pid)) process.kill(pid, 'SIGKILL');
    };
    const call = sort(path('in'), { ...OPTIONS, onProgress });
    await expect(call).rejects.toThrow(
      /^all processes of the sort have ended: \d+ by SIGKILL, \d+ by SIGKILL$/,
    );
    await expect(call).rejects.toBeInstanceOf(ExternalError);
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
    expectNothingLeft(before, ['in', 'out']);
  });
});

describe('child processes end, and leave nothing', () => {
  const stages = ['sample', 'partition', 'sort'] as const;

  it.each(sample(stages, 1, SEED))('after an abort at %s', async (at) => {
    const before = childrenOf();
    keysFile('Uint32Array', 'random bits');
    writeFileSync(path('out'), 'before');
    const controller = new AbortController();
    const reason = new Error('enough');
    let heardLate = 0;
    let isStopped = false;
    const call = sort(path('in'), {
      ...OPTIONS,
      signal: controller.signal,
      onProgress: ({ phase }) => {
        if (controller.signal.aborted) heardLate++;
        if (phase !== at || isStopped) return;
        isStopped = true;
        // Children that say nothing more: the abort is heard all the same.
        for (const pid of childrenOf()) if (!before.includes(pid)) process.kill(pid, 'SIGSTOP');
        setTimeout(() => controller.abort(reason), at === 'sample' ? 0 : 100);
      },
    });
    await expect(call).rejects.toBe(reason);
    expect(heardLate).toBe(0);
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
    expectNothingLeft(before, ['in', 'out']);
  });

  const partsFolders = (): string[] =>
    names()
      .map(path)
      .filter((name) => name.endsWith('.tmp') && statSync(name).isDirectory())
      .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
      .filter((name) => statSync(name).isDirectory());

  it('after an error of a callback, and one in a child', async () => {
    const before = childrenOf();
    keysFile('Uint32Array', 'random bits');
    const throwing = (): void => {
      throw new RangeError('mine');
    };
    await expect(sort(path('in'), { ...OPTIONS, onProgress: throwing })).rejects.toThrow('mine');
    expectNothingLeft(before, ['in']);
    const onProgress: SortFileOptions['onProgress'] = ({ phase }) => {
      if (phase === 'sort')
        for (const folder of partsFolders()) rmSync(folder, { recursive: true });
    };
    const call = sort(path('in'), { ...OPTIONS, onProgress });
    await expect(call).rejects.toThrow(
      /^cannot read '.*\.tmp.cached.*': no such file or directory \(ENOENT\)$/,
    );
    await expect(call).rejects.toBeInstanceOf(ExternalError);
    expectNothingLeft(before, ['in']);
  });

  it.each([{}, { processes: 2 }])('%j: a signal that is kept keeps nothing of it', async (how) => {
    const bytes = keysFile('Uint32Array', 'random bits');
    const { signal } = new AbortController();
    await sort(path('in'), { type: 'u32', memory: 140_000, ...how, signal });
    expect(statSync(path('out')).size).toBe(bytes.length);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  /** Sorts in another process, which prints its children's numbers before `end` ends it. */
  function endedBy(end: string, given: object): number[] {
    const { href } = new URL('../dist/index.js', import.meta.url);
    const script = `
      import { readFileSync, writeSync } from 'node:fs';
      import { removeTemporaries, sortFile } from '${href}';
      let seen = 0;
      await sortFile('in', 'out', {
        ...${JSON.stringify(given)},
        onProgress: ({ phase }) => {
          if (phase !== 'sort' || ++seen < 3) return;
          const listed = readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8');
          writeSync(1, listed);
          const isRunning = (pid) =>
            /\\) [^ZX] /.test(readFileSync('/proc/' + pid + '/stat', 'utf8'));
          ${end}
        },
      });`;
    writeFileSync(path('sort.mjs'), script);
    const options = { cwd: path(''), encoding: 'utf8', timeout: 20_000 } as const;
    const run = spawnSync(process.execPath, ['sort.mjs'], options);
    expect({ signal: run.signal, stderr: run.stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
    const pids = run.stdout.trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    return pids;
  }

  const untilEnded = async (pids: readonly number[]): Promise<void> => {
    while (pids.some(isRunning)) await delay(10);
  };

  it('after the sort is killed; resume goes on with the parts that it left', async () => {
    const bytes = keysFile('Uint32Array', 'random bits');
    await untilEnded(endedBy("process.kill(process.pid, 'SIGKILL');", OPTIONS));
    expect(names()).toHaveLength(4);
    const report = await sort(path('in'), { ...OPTIONS, resume: true });
    const sorted = new Uint32Array(new Uint8Array(bytes).buffer).sort();
    expect(readFileSync(path('out')).equals(Buffer.from(sorted.buffer)), `seed ${SEED}`).toBe(true);
    expect(report.milliseconds.partition).toBe(0);
    expect(names()).toEqual(['in', 'out', 'sort.mjs']);
  });

  it('after removeTemporaries, for a handler of a signal', async () => {
    keysFile('Uint32Array', 'random bits');
    const end = `removeTemporaries();
      while (listed.trim().split(' ').some(isRunning));
      process.kill(process.pid, 'SIGKILL');`;
    await untilEnded(endedBy(end, OPTIONS));
    expect(names()).toEqual(['in', 'sort.mjs']);
  });
});

it('child processes keep within the memory, but for what each takes for itself', async () => {
  const before = childrenOf();
  // Enough for parts that begin at blocks of memory.
  const memory = 40e6;
  const input = write('in', new Random(SEED).fill(new Uint32Array(48e6 / 4)));
  const peaks = new Map<number, number>();
  await sort(path('in'), {
    ...{ type: 'u32', memory, processes: 2 },
    onProgress: ({ phase }) => {
      if (phase !== 'sort') return;
      for (const pid of childrenOf().filter((one) => !before.includes(one))) {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        peaks.set(pid, 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]));
      }
    },
  });
  expect(peaks.size).toBe(2);
  for (const peak of peaks.values()) expect(peak).toBeLessThan(memory / 2 + 200e6);
  const { misplaced, checksum } = await checkFile(path('out'), { type: 'u32' });
  expect(misplaced, `seed ${SEED}`).toBe(-1);
  expect(checksum, `seed ${SEED}`).toBe((await checkFile(input, { type: 'u32' })).checksum);
});

describe('child processes with a GPU of their own', () => {
  it('say that it cannot sort, before anything is divided', async () => {
    const before = childrenOf();
    vi.stubEnv('VK_DRIVER_FILES', path('none.json'));
    vi.stubEnv('VK_ICD_FILENAMES', path('none.json'));
    onTestFinished(() => void vi.unstubAllEnvs());
    keysFile('Uint32Array', 'random bits');
    const call = sort(path('in'), { ...OPTIONS, processes: [{ gpu: 0 }, {}] });
    await expect(call).rejects.toThrow(/^GPU 0 cannot sort: /);
    expectNothingLeft(before, ['in']);
  });

  it('sort beside a process of the CPU', async () => {
    const folder = chromiumFolder();
    if (process.env.VK_DRIVER_FILES === undefined && process.env.VK_ICD_FILENAMES === undefined) {
      vi.stubEnv('VK_ICD_FILENAMES', `${folder}/vk_swiftshader_icd.json`);
      vi.stubEnv('LD_LIBRARY_PATH', `${folder}:${process.env.LD_LIBRARY_PATH ?? ''}`);
      onTestFinished(() => void vi.unstubAllEnvs());
    }
    const bytes = keysFile('Uint32Array', 'random bits');
    const report = await sort(path('in'), { ...OPTIONS, processes: [{ gpu: 0 }, { threads: 1 }] });
    const sorted = new Uint32Array(new Uint8Array(bytes).buffer).sort();
    expect(readFileSync(path('out')).equals(Buffer.from(sorted.buffer)), `seed ${SEED}`).toBe(true);
    expect(report.processes).toMatchObject([{ gpu: 0 }, { threads: 1 }]);
    expect(report.processes[0]?.parts).toBeGreaterThan(0);
  });
});
