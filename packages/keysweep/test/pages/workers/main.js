/**
 * A page that is asked to sort, and how it went. Workers and memory are counted here, before
 * anything of keysweep runs; what is answered is plain data.
 */

import { Random } from '@keysweep/conformance/data';
import { CHECKS, runCheck } from '@keysweep/conformance/suite';
import { cpu } from '@keysweep/cpu';
import { builtin, createSorter } from 'keysweep';

const count = { started: 0, ended: 0, pages: 0, channels: 0 };
const living = new Set();
/** Object URLs that have not been revoked. */
const urls = new Set();

const { createObjectURL, revokeObjectURL } = URL;
URL.createObjectURL = (blob) => {
  const url = createObjectURL(blob);
  urls.add(url);
  return url;
};
URL.revokeObjectURL = (url) => {
  urls.delete(url);
  revokeObjectURL(url);
};

const Original = globalThis.Worker;
if (Original !== undefined) {
  globalThis.Worker = class extends Original {
    constructor(...args) {
      super(...args);
      count.started++;
      living.add(this);
    }

    terminate() {
      if (living.delete(this)) count.ended++;
      super.terminate();
    }
  };
}

/** A pause is a message to oneself. */
const Channel = globalThis.MessageChannel;
globalThis.MessageChannel = class extends Channel {
  constructor() {
    super();
    count.channels++;
  }
};

const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (pages) {
  count.pages += pages;
  return grow.call(this, pages);
};

const goodWorker = () =>
  new Worker(new URL('./sort-worker.js', import.meta.url), { type: 'module' });

const WORKERS = {
  'fails at its work': () => {
    const worker = goodWorker();
    const { postMessage } = worker;
    worker.postMessage = ({ kind, argument }, transfer) => {
      const isWork = kind === 'task' || kind === 'sort';
      postMessage.call(
        worker,
        { kind, argument: isWork ? { job: {}, shape: {} } : argument },
        transfer,
      );
    };
    return worker;
  },
  'throws an error': () =>
    new Worker(new URL('./broken-worker.js', import.meta.url), { type: 'module' }),
  'is not found': () => new Worker('/nowhere.js', { type: 'module' }),
  'never answers': () => new Worker(createObjectURL(new Blob([]))),
  'cannot be made': () => {
    throw new Error('no worker today');
  },
};

const source = new Random(1);
const random = (length) => source.fill(new Uint32Array(length));
const isSame = (a, b) => a.length === b.length && a.every((word, i) => word === b[i]);

async function sortsWell(sorter, length) {
  const keys = random(length);
  const expected = keys.slice().sort();
  await sorter.sort(keys, { backend: 'cpu' });
  return isSame(keys, expected);
}

/** The file of @keysweep/cpu/worker, as a user would copy it. */
const workerUrl = new URL('../../../../cpu/dist/pool/worker-web.js', import.meta.url);

/** The caller's own ways to a worker. */
const NAMED = {
  'a worker address': { workerUrl },
  'a worker address that is wrong': { workerUrl: '/nowhere.js' },
  'a worker address that is no script': { workerUrl: '/' },
  'a worker that cannot be made': { createWorker: WORKERS['cannot be made'] },
  'a worker that is not found': { createWorker: WORKERS['is not found'] },
  'a worker that never answers': { createWorker: WORKERS['never answers'] },
};

/** Sorts with something going wrong `meanwhile`; says what became of the call and of the array. */
async function sortBadly(sorter, backend, length, meanwhile) {
  const keys = random(length);
  const before = keys.slice();
  let fallbacks = [];
  const onReport = (report) => {
    fallbacks = report.fallbacks.map(({ error }) => String(error));
  };
  const sorting = sorter.sort(keys, { backend, onReport });
  sorting.catch(() => {});
  await meanwhile();
  const error = await sorting.then(
    () => undefined,
    (reason) => String(reason),
  );
  const expected = error === undefined ? before.sort() : before;
  return { error, fallbacks, isWhole: isSame(keys, expected) };
}

const turn = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Does `work` while every look at the clock finds it a second later. */
async function onSlowClock(work) {
  const { now } = performance;
  let time = 0;
  performance.now = () => (time += 1000);
  try {
    return await work();
  } finally {
    performance.now = now;
  }
}

/** So many keys are served by workers, once they are there. */
const LARGE = 200_000;

/** A sorter whose 'auto' prefers the CPU whatever there is of a GPU. */
const cpuSorter = (options) => createSorter({ backends: [cpu(options), builtin()] });

globalThis.tests = {
  count: () => ({ ...count, living: living.size }),

  isolated: () => crossOriginIsolated,

  /** The checks that fail, each with its message. */
  async conform(seed, lengths, names, effort) {
    const failures = [];
    const backend = cpu();
    for (const [i, check] of CHECKS.entries()) {
      const subject = { backend, create: () => cpu(), random: new Random(seed + i), lengths };
      if (check.missing !== undefined || !names.includes(check.name)) continue;
      try {
        await runCheck(check, { ...subject, effort }, seed);
      } catch (error) {
        failures.push(`${check.name}: ${error.message}`);
      }
    }
    await backend.close();
    return failures;
  },

  /** What the backend says of itself, and whether it sorts many keys and few. */
  async sorts(length) {
    const sorter = await createSorter();
    const { cpu: probe } = await sorter.capabilities();
    const before = { ...count };
    const few = await sortsWell(sorter, 5000);
    const early = count.started - before.started;
    const many = await sortsWell(sorter, length);
    // The page itself sorts meanwhile, or first.
    while (Original !== undefined && count.started === before.started) await turn(1);
    const next = await sortsWell(sorter, length);
    await sorter.close();
    const { description } = probe.capabilities;
    const late = count.started - before.started;
    return { few, many, next, early, late, living: living.size, description };
  },

  /** Terminates a worker at some point of a sort, and another one between two. */
  async terminates(backend, wait, length) {
    const sorter = await cpuSorter({});
    await sorter.warmUp(LARGE);
    // Enough that it is in the midst of its work by then.
    const outcome = await sortBadly(sorter, backend, length, async () => {
      await turn(wait);
      const [victim] = living;
      // As the browser would: nobody is told.
      Original.prototype.terminate.call(victim);
    });
    const next = await sortsWell(sorter, LARGE);
    await sorter.warmUp(LARGE);
    const [idle] = living;
    Original.prototype.terminate.call(idle);
    await turn(200);
    const nextButOne = await sortsWell(sorter, LARGE);
    await sorter.close();
    return { ...outcome, next, nextButOne };
  },

  /** Workers that are no good. */
  async misuses(way, backend, length) {
    let isGood = false;
    const bad = WORKERS[way];
    const createWorker = () => (isGood ? goodWorker() : bad());
    // Even the first sort waits for its workers.
    const sorter = await cpuSorter({ createWorker, threadsFrom: LARGE });
    const outcome = await sortBadly(sorter, backend, length, async () => {});
    isGood = true;
    globalThis.hurries = false;
    const next = await sortsWell(sorter, LARGE);
    await sorter.close();
    return { ...outcome, next, living: living.size };
  },

  /** What is lost on the way down, how it is said, and what is left behind. */
  async descends(length, named) {
    const codes = [];
    const onWarning = ({ code }) => codes.push(code);
    const options = NAMED[named] ?? {};
    const sorter = await createSorter({ backends: [cpu(options), builtin()], onWarning });
    const started = [];
    let right = true;
    for (let i = 0; i < 3; i++) {
      const before = count.started;
      right = (await sortsWell(sorter, length)) && right;
      // The page itself has served the first; the others wait for workers.
      await sorter.warmUp(length);
      started.push(count.started - before);
      globalThis.hurries = false;
    }
    const { description } = (await sorter.capabilities()).cpu.capabilities;
    const living1 = living.size;
    await sorter.release();
    right = (await sortsWell(sorter, length)) && right;
    await sorter.close();
    const again = started[1] + started[2];
    const left = { workers: living.size, urls: urls.size };
    return { right, codes, hasWorkers: living1 > 0, again, left, description };
  },

  /** What a sort leaves behind after five of them and after many. */
  async repeats(times) {
    const sorter = await cpuSorter({});
    const figures = [];
    await sorter.warmUp(LARGE);
    for (let i = 1; i <= times; i++) {
      await sortsWell(sorter, LARGE);
      if (i === 5 || i === times) figures.push({ ...count, channels: 0, living: living.size });
    }
    await sorter.release();
    const released = living.size;
    const again = await sortsWell(sorter, LARGE);
    await sorter.close();
    return { figures, released, again, closed: living.size };
  },

  /** How often a sort pauses on a clock by which every slice is long. */
  async pauses(length) {
    const sorter = await cpuSorter({});
    const keys = random(length);
    const expected = keys.slice().sort();
    await sorter.warmUp(LARGE);
    const before = count.channels;
    await onSlowClock(() => sorter.sort(keys, { backend: 'cpu' }));
    const pauses = count.channels - before;
    await sorter.close();
    return { pauses, right: isSame(keys, expected) };
  },

  /** Interferes with a result that is being copied in. */
  async interferes(way) {
    const sorter = await cpuSorter({});
    const keys = random(2 ** 20);
    const expected = keys.slice().sort();
    await sorter.warmUp(LARGE);
    const controller = new AbortController();
    const interfere = () => {
      if (way === 'abort') controller.abort();
      else structuredClone(keys.buffer, { transfer: [keys.buffer] });
    };
    let isBegun;
    const onProgress = ({ phase }) => {
      if (phase !== 'readback') return;
      const { port1, port2 } = new Channel();
      port1.onmessage = () => {
        isBegun = keys[0] === expected[0] && keys.at(-1) !== expected.at(-1);
        interfere();
      };
      port2.postMessage(undefined);
    };
    const { signal } = controller;
    const error = await onSlowClock(() =>
      sorter.sort(keys, { backend: 'cpu', signal, onProgress }).then(() => undefined, String),
    );
    await sorter.close();
    return { isBegun, error, right: isSame(keys, expected) };
  },
};
document.title = 'ready';
