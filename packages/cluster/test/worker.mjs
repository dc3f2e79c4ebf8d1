/**
 * A worker in a process of its own, which ends with the test: node worker.mjs SETTINGS, in JSON.
 * `fault` is done once by whichever worker first writes for the `stage`: `token` is the file that
 * tells.
 */
import { appendFileSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { localStorage } from '@keysweep/external/storage';
import { Worker } from 'bullmq';
import { builtin, createSorter } from 'keysweep';
import { runWorker } from '../dist/index.js';

const { connection, name, lockDuration, queue, roots, fault } = JSON.parse(process.argv[2]);
const ending = new AbortController();
process.once('disconnect', () => ending.abort());
// The test may have ended while this program was loaded: then nobody tells of it any more.
if (!process.connected) ending.abort();

/** What the file at `path` is for. */
const stageOf = (path) => /\/(sample|partition|sort)-/.exec(path)?.[1] ?? 'write';

function isTheOne(path) {
  if (fault === undefined || stageOf(path) !== fault.stage || path.includes('/shuffle.')) return;
  try {
    writeSync(openSync(fault.token, 'wx'), name);
    return true;
  } catch {
    return false;
  }
}

const { run } = Worker.prototype;
Worker.prototype.run = function runAndTell() {
  if (process.connected) process.send('begun');
  return run.call(this);
};

const FAULTS = {
  /** Half of the bytes are there when it ends. */
  killed: async (file, bytes) => {
    await file.write(bytes.subarray(0, bytes.length >>> 1));
    process.kill(process.pid, 'SIGKILL');
  },
  /** Nothing happens in this process for so long that its jobs are given to others. */
  stalled: async (file, bytes) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4 * lockDuration);
    await file.write(bytes);
  },
  /** It works on while another worker has got the same job. */
  twice: async (file, bytes) => {
    Worker.prototype.extendJobLocks = async () => [];
    await new Promise((resolve) => setTimeout(resolve, 4 * lockDuration));
    await file.write(bytes);
  },
  /** The input is written to. */
  changing: async (file, bytes) => {
    appendFileSync(join(dirname(fault.token), 'in'), new Uint8Array(8));
    await file.write(bytes);
  },
  /** The worker is told to end. */
  ended: async () => {
    ending.abort();
    await new Promise((resolve) => setTimeout(resolve, lockDuration));
    throw new Error('aborted');
  },
  /** It takes a while, in which the sort is cancelled. */
  held: async (file, bytes) => {
    await new Promise((resolve) => setTimeout(resolve, 2 * lockDuration));
    await file.write(bytes);
  },
  /** The same, and nobody tells this process, which has to ask. */
  late: async (file, bytes) => {
    await new Promise((resolve) => setTimeout(resolve, 2 * lockDuration));
    AbortSignal.prototype.throwIfAborted = () => {};
    await file.write(bytes);
  },
  /** The disk fails once. */
  failing: async () => {
    throw new Error('input/output error');
  },
};

const { write } = localStorage;
localStorage.write = async (path, from) => {
  const file = await write(path, from);
  if (!isTheOne(path)) return file;
  let isFirst = true;
  return {
    close: () => file.close(),
    abort: () => file.abort(),
    write: async (bytes) => {
      const own = isFirst ? FAULTS[fault.kind] : undefined;
      isFirst = false;
      await (own === undefined ? file.write(bytes) : own(file, bytes));
    },
  };
};

const sorter = await createSorter({ backends: [builtin()] });
await runWorker(connection, {
  roots,
  name,
  lockDuration,
  queue,
  sorter,
  signal: ending.signal,
  onError: (error) => process.env.KEYSWEEP_LOUD && console.error(name, error),
});
await sorter.close();
