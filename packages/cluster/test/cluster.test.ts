import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import {
  DISTRIBUTIONS,
  isThorough,
  NOT_DRAWN,
  Random,
  runSeed,
  sample,
} from '@keysweep/conformance/data';
import { Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { sortedRecords } from '../../external/test/oracle.js';
import { scratch } from '../../external/test/scratch.js';
import type { ClusterProgress, ClusterReport, SortPlan } from '../dist/index.js';
import { runWorker, submitSort } from '../dist/index.js';
import { Line, postgresStore, redisProgram, redisStore, type TestStore } from './stores.js';
import { type Fault, LOCK, PROGRAM, Workers } from './workers.js';

drawTests(1 / 2, ({ name }) => /several processes/.test(name));

const SEED = runSeed();
const { path, names, write } = scratch();

const PARTS = isThorough ? 64 : 12;
const LENGTH = isThorough ? 1_000_000 : 200_000;
/** As many as parts, up to 16. */
const PIECES = Math.min(PARTS, 16);
/** Sorts by the workers of a queue. Resolves to the report. */
async function submit(
  connection: string,
  queue: string,
  plan: Partial<SortPlan> = {},
): Promise<ClusterReport> {
  const reports: ClusterReport[] = [];
  const onReport = (report: ClusterReport): void => void reports.push(report);
  const given = { input: path('in'), output: path('out'), type: 'u64', parts: PARTS } as const;
  await submitSort(connection, { ...given, queue, onReport, ...plan });
  return reports[0] as ClusterReport;
}

let queues = 0;

/** Sorts by workers of which one has a fault. Resolves to how many were killed, too. */
async function submitToFaulty(
  connection: string,
  fault: Fault,
  plan: Partial<SortPlan> = {},
): Promise<{ report: ClusterReport; killed: number }> {
  const queue = `test-${queues++}`;
  const workers = new Workers(connection, queue, path('fault'), fault);
  try {
    const report = await submit(connection, queue, plan);
    return { report, killed: await workers.end() };
  } finally {
    await workers.end();
  }
}

/** Numbers in the file `in`, and the bytes of them sorted. */
function numbersFile(distribution = 'random bits'): Buffer {
  const numbers = new BigUint64Array(LENGTH);
  const { fill } = DISTRIBUTIONS.find(
    ({ name }) => name === distribution,
  ) as (typeof DISTRIBUTIONS)[0];
  fill(numbers, new Random(SEED));
  write('in', numbers);
  return Buffer.from(numbers.sort().buffer);
}

const isRight = (sorted: Buffer): boolean => readFileSync(path('out')).equals(sorted);

const STORES: readonly (readonly [name: string, start: () => Promise<TestStore>, why: string])[] = [
  ['PostgreSQL', postgresStore, ''],
  [
    'Redis',
    redisStore,
    isThorough
      ? redisProgram() === undefined
        ? 'there is no redis-server: install it, or run node tools/install/redis.mjs'
        : ''
      : 'test:thorough has it',
  ],
];

describe.each(STORES)('jobs in %s', (_, start, why) => {
  if (why !== '') {
    it(`are left out: ${why}`, ({ skip }) => skip(why));
    return;
  }
  let store: TestStore;
  let workers: Workers;
  const sortBy = (plan: Partial<SortPlan> = {}) => submit(store.connection, 'shared', plan);
  const sortByFaulty = (fault: Fault, plan: Partial<SortPlan> = {}) =>
    submitToFaulty(store.connection, fault, plan);
  beforeAll(async () => {
    store = await start();
    workers = new Workers(store.connection, 'shared', path('fault'));
    // On a busy machine one of them would else do everything before the others have started.
    await workers.begun();
  });
  afterAll(async () => {
    expect(await workers.end()).toBe(0);
    // Workers and submitters have closed theirs.
    const left = await store.connections();
    await store.stop();
    expect(left).toBe(0);
  });

  it('sort a file by several processes, and leave nothing', async () => {
    const sorted = numbersFile();
    const told: ClusterProgress[] = [];
    const [begun, ended] = [
      vi.spyOn(globalThis, 'setTimeout'),
      vi.spyOn(globalThis, 'clearTimeout'),
    ];
    const report = await sortBy({ onProgress: (progress) => told.push(progress) });
    vi.restoreAllMocks();
    expect(isRight(sorted), `seed ${SEED}`).toBe(true);
    expect(names()).toEqual(['in', 'out']);
    // A longer timer than the drivers have would hold the process, unless it is ended.
    const timers = begun.mock.calls.flatMap(([, milliseconds = 0], i) =>
      milliseconds > 10_000 ? [begun.mock.results[i]?.value] : [],
    );
    const endedTimers = new Set<unknown>(ended.mock.calls.map(([timer]) => timer));
    expect(timers.length).toBeGreaterThan(0);
    expect(timers.filter((timer) => !endedTimers.has(timer))).toEqual([]);
    expect(report).toMatchObject({ bytes: 8 * LENGTH, parts: PARTS, pieces: PIECES, retries: 0 });
    expect(report.bytesWritten).toBe(3 * 8 * LENGTH);
    expect(report.imbalance).toBeLessThanOrEqual(1.25);
    // Sample, pieces, parts, and the output.
    const jobs = Object.values(report.workers).reduce((sum, count) => sum + count, 0);
    expect(jobs).toBe(1 + PIECES + PARTS + 1);
    expect(Object.keys(report.workers).length).toBeGreaterThan(1);
    const totals = { sample: 1, partition: PIECES, sort: PARTS, write: 1 };
    const places = told.map(({ phase, completed, total }) => {
      expect(total).toBe(totals[phase]);
      expect(completed).toBeLessThan(total);
      return 1000 * Object.keys(totals).indexOf(phase) + completed;
    });
    // Each state is told once, and none goes back.
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    expect(told.length).toBeGreaterThan(0);
  });

  it('sort records, stable, in the order of several keys', async () => {
    const random = new Random(SEED);
    const bytes = 12;
    const records = random.fill(new Uint8Array(bytes * 20_000));
    // Four keys: parts end within records that tie.
    for (let i = 0; i < records.length; i += bytes) {
      (records[i] as number) &= 1;
      (records[i + 4] as number) &= 1;
      records[i + 5] = 0;
    }
    write('in', records);
    const keys = [
      { at: 0, bytes: 1, order: 'descending' },
      { at: 4, type: 'u16' },
    ] as const;
    const record = { bytes, keys };
    const { imbalance } = await sortBy({ record, type: undefined as never, parts: 9 });
    expect(imbalance, `seed ${SEED}`).toBeLessThanOrEqual(1.25);
    const expected = sortedRecords(Buffer.from(records.buffer), record);
    expect(isRight(expected), `seed ${SEED}`).toBe(true);
  });

  it('sort an empty file, and one of a single part', async () => {
    write('in', new Uint8Array(0));
    await sortBy();
    expect(isRight(Buffer.of())).toBe(true);
    write('in', Uint8Array.of(3, 1, 2));
    await sortBy({ type: 'u8', parts: 1, order: 'descending' });
    expect(isRight(Buffer.of(3, 2, 1))).toBe(true);
  });

  const stages = ['sample', 'partition', 'sort', 'write'] as const;
  const faults = (isThorough ? stages : (['partition'] as const)).map(
    (stage): Fault => ({ kind: 'killed', stage }),
  );
  const others: readonly Fault[] = [
    { kind: 'stalled', stage: 'sort' },
    { kind: 'twice', stage: 'partition' },
    { kind: 'twice', stage: 'sort' },
    { kind: 'twice', stage: 'write' },
    { kind: 'failing', stage: 'sort' },
    { kind: 'ended', stage: 'partition' },
  ];
  it.each(isThorough ? [...faults, ...others] : faults)(
    'are right when a worker is $kind while it writes for $stage',
    async (fault) => {
      const sorted = numbersFile();
      const told: string[] = [];
      const onProgress = (one: ClusterProgress): void => void told.push(JSON.stringify(one));
      const { report, killed } = await sortByFaulty(fault, { onProgress });
      expect(told, 'each state once').toEqual([...new Set(told)]);
      expect(existsSync(path('fault')), 'the fault was planted').toBe(true);
      expect(isRight(sorted), `seed ${SEED}`).toBe(true);
      expect(killed).toBe(fault.kind === 'killed' ? 1 : 0);
      if (fault.stage !== 'write') expect(report.retries).toBeGreaterThan(0);
      expect(names()).toEqual(
        // The output that a killed worker did not finish: the next sort removes it.
        fault.kind === 'killed' && fault.stage === 'write'
          ? [expect.stringMatching(/^\.keysweep-.*\.tmp$/), 'fault', 'in', 'out']
          : ['fault', 'in', 'out'],
      );
    },
  );

  const moments: readonly Fault[] = [
    { kind: 'held', stage: 'sort' },
    { kind: 'held', stage: 'write' },
    { kind: 'late', stage: 'write' },
  ];

  it.each(sample(moments, 1, SEED))(
    'end when their sort is aborted, and leave nothing: $kind, $stage',
    async (fault) => {
      numbersFile();
      const ending = new AbortController();
      const reason = new Error('no more');
      const aborted = expect(sortByFaulty(fault, { signal: ending.signal })).rejects.toBe(reason);
      await expect.poll(() => existsSync(path('fault')), { timeout: 60_000 }).toBe(true);
      ending.abort(reason);
      await aborted;
      // What a worker still writes does not become the output.
      await expect.poll(names, { timeout: 60_000 }).toEqual(['fault', 'in']);
    },
  );

  /** Each starts workers of its own, which takes seconds. */
  const failures = sample(['in every attempt', 'of a changed input'], 1, SEED);

  it('fail with the reason of a job that fails in every attempt', async ({ skip }) => {
    skip(!failures.includes('in every attempt'), NOT_DRAWN);
    numbersFile();
    const fault = { kind: 'failing', stage: 'sort' } as const;
    const failing = sortByFaulty(fault, { attempts: 1 });
    await expect(failing).rejects.toThrow('sort failed after 1 attempts: input/output error');
    expect(names()).toEqual(['fault', 'in']);
  });

  it('fail when the input is changed meanwhile', async ({ skip }) => {
    skip(!failures.includes('of a changed input'), NOT_DRAWN);
    numbersFile();
    const failing = sortByFaulty({ kind: 'changing', stage: 'sample' });
    await expect(failing).rejects.toThrow(/'.*in' was changed while it was sorted/);
    expect(names()).toEqual(['fault', 'in']);
  });

  it('have workers that fail when a store lets them in no further than the door', async () => {
    const { hostname, port } = new URL(store.connection);
    const sockets = new Set<Socket>();
    // The queue gets its connection, but the worker none of its own.
    const door = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      if (sockets.size > 1) return void socket.destroy();
      const other = connect(Number(port), hostname);
      sockets.add(other.on('error', () => {}));
      socket.pipe(other).pipe(socket);
    });
    door.listen(0, '127.0.0.1');
    await once(door, 'listening');
    const connection = new URL(store.connection);
    connection.port = `${(door.address() as { port: number }).port}`;
    const settings = {
      connection: connection.href,
      queue: 'door',
      lockDuration: LOCK,
      roots: ['/'],
    };
    const child = fork(PROGRAM, [JSON.stringify(settings)], { stdio: 'pipe' });
    onTestFinished(() => {
      child.kill('SIGKILL');
      for (const socket of sockets) socket.destroy();
      door.close();
    });
    let said = '';
    child.stderr?.on('data', (data: Buffer) => {
      said += data;
    });
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
    expect(said).toContain('cannot reach the store at ');
  });

  it('have workers that leave no connection if they are ended while they connect', async () => {
    const before = await store.connections('early');
    expect(before).toBe(0);
    const { waitUntilReady } = Worker.prototype;
    const ending = new AbortController();
    let ready: Promise<unknown> | undefined;
    vi.spyOn(Worker.prototype, 'waitUntilReady').mockImplementation(function (this: Worker) {
      ending.abort();
      ready = waitUntilReady.call(this);
      return ready as never;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const { signal } = ending;
    await runWorker(store.connection, { roots: ['/'], name: 'early', queue: 'early', signal });
    expect(ready).toBeDefined();
    // It has all of its connections by then, unless it could not get them any more.
    await ready?.catch(() => {});
    // The store takes a moment to notice that one is gone.
    await expect.poll(() => store.connections('early'), { timeout: 5000 }).toBe(0);
  });

  it('go on when the submitter has lost the store for a while', async () => {
    const sorted = numbersFile();
    const line = await Line.to(store.connection);
    let cut: Promise<void> | undefined;
    await submit(line.connection, 'shared', {
      onProgress: () => {
        cut ??= line.cut(1500);
      },
    });
    await cut;
    await line.close();
    expect(cut).toBeDefined();
    expect(isRight(sorted), `seed ${SEED}`).toBe(true);
    expect(names()).toEqual(['in', 'out']);
  });

  if (!isThorough) return;

  it.each(['Zipf', 'all equal', 'sorted', 'reversed'])('have even parts of %s keys', async (of) => {
    const sorted = numbersFile(of);
    const report = await sortBy();
    expect(isRight(sorted), `seed ${SEED}`).toBe(true);
    expect(report.imbalance, `seed ${SEED}`).toBeLessThanOrEqual(1.25);
    expect(report.parts).toBe(PARTS);
  });

  it.each(['sample', 'partition', 'sort'])('go on when the store is away in %s', async (phase) => {
    const sorted = numbersFile();
    const line = await Line.to(store.connection);
    let cut: Promise<void> | undefined;
    const others = new Workers(line.connection, 'cut', path('fault'));
    // A worker that starts does not wait for a store that is away.
    await others.begun();
    await submit(line.connection, 'cut', {
      onProgress: (progress) => {
        if (progress.phase === phase) cut ??= line.cut(20_000);
      },
    });
    await cut;
    await others.end();
    await line.close();
    expect(cut).toBeDefined();
    expect(isRight(sorted), `seed ${SEED}`).toBe(true);
    expect(names()).toEqual(['in', 'out']);
  });

  it('go on when the store is killed and started again', async () => {
    const sorted = numbersFile();
    let restarted: Promise<void> | undefined;
    await sortBy({
      onProgress: ({ phase }) => {
        if (phase === 'partition') restarted ??= store.restart();
      },
    });
    await restarted;
    expect(restarted).toBeDefined();
    expect(isRight(sorted), `seed ${SEED}`).toBe(true);
    expect(names()).toEqual(['in', 'out']);
  });
});

describe('a sort', () => {
  it.each<[string, object, RegExp]>([
    ['without an output', { input: 'a', type: 'u8' }, /^output must be a path/],
    ['of a stream', { input: process.stdin, output: 'b', type: 'u8' }, /^input must be a path/],
    ['with too many parts', { input: 'a', output: 'b', type: 'u8', parts: 257 }, /^parts must be/],
    ['with an unknown option', { input: 'a', output: 'b', unique: true }, /no 'unique'/],
    ['with a wrong queue', { input: 'a', output: 'b', type: 'u8', queue: 'a:b' }, /^queue must be/],
  ])('%s is refused', async (_, plan, message) => {
    await expect(submitSort('redis://127.0.0.1:1', plan as SortPlan)).rejects.toThrow(message);
  });

  it.each([
    ['redis://127.0.0.1:1', /^cannot reach the store at redis:\/\/127.0.0.1:1: .*ECONNREFUSED/],
    ['postgres://u:secret@127.0.0.1:1/d', /^cannot reach the store at postgres:\/\/127.0.0.1:1\/d/],
    ['http://127.0.0.1', /^connection must be an address such as/],
  ])('is refused at %s', async (connection, message) => {
    write('in', new Uint8Array(8));
    const plan = { input: path('in'), output: path('out'), type: 'u8' } as const;
    await expect(submitSort(connection, plan)).rejects.toThrow(message);
    expect(names()).toEqual(['in']);
  });
});
