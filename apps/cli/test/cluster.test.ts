import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NOT_DRAWN, Random, runSeed, sample } from '@keysweep/conformance/data';
import { describe, expect, it, onTestFinished } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { ending, inProcess, KEYSWEEP, scratch } from './command.js';

drawTests(1 / 2, ({ name }) => /starts a store/.test(name));

const SEED = runSeed();
const path = scratch();

/** Random numbers. */
function randomNumbers(length: number): BigUint64Array {
  const numbers = new BigUint64Array(length);
  new Random(SEED).fill(new Uint32Array(numbers.buffer));
  return numbers;
}

/** Starts `keysweep submit --local 2`, with all temporary files in the test's folder. */
function submitLocally(numbers: BigUint64Array, ...more: readonly string[]) {
  // PostgreSQL runs as another user where this is root.
  chmodSync(path(''), 0o755);
  writeFileSync(path('in'), numbers);
  const args = ['submit', '--local', '2', '-t', 'u64', path('in'), '-o', path('out'), ...more];
  return spawn(process.execPath, [KEYSWEEP, ...args], {
    env: { ...process.env, TMPDIR: path('') },
  });
}

/** The workers that the process `parent` has started. */
function workersOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const [, ppid] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return Number(ppid) === parent && command.includes('keysweep worker');
    } catch {
      return false; // It ended meanwhile.
    }
  });
}

describe('keysweep submit --local', () => {
  it('starts a store and workers, sorts, and leaves nothing', async () => {
    const numbers = randomNumbers(50_000);
    // Workers may write there, too.
    const tmp = mkdtempSync(join(tmpdir(), 'keysweep-elsewhere-'));
    onTestFinished(() => rmdirSync(tmp));
    const options = ['--parts', '6', '--report', '--tmp', tmp];
    const { code, stderr } = await ending(submitLocally(numbers, ...options));
    expect(stderr).toMatch(
      /^sorted 400 kB in .*\n {2}time .*\n.*\n {2}parts {2}6, the largest 1\./,
    );
    expect(code).toBe(0);
    const sorted = Buffer.from(numbers.sort().buffer);
    expect(readFileSync(path('out')).equals(sorted), `seed ${SEED}`).toBe(true);
    expect(readdirSync(path('')).sort()).toEqual(['in', 'out']);
  });

  /** Each starts a store, which takes seconds. */
  const ends = sample(['gone', 'interrupted'], 1, SEED);

  it('fails when its workers are gone, and leaves nothing', async ({ skip }) => {
    skip(!ends.includes('gone'), NOT_DRAWN);
    const child = submitLocally(randomNumbers(400_000), '--parts', '256');
    const ended = ending(child);
    /** What the workers have made so far; none where the sort is not at work. */
    const made = (): number => {
      const folder = readdirSync(path('')).find((name) => name.startsWith('.keysweep-cluster'));
      return folder === undefined || child.exitCode !== null
        ? -1
        : readdirSync(path(folder)).length;
    };
    while (made() < 3) await sleep(10);
    // One of them goes on alone.
    const [first, ...others] = workersOf(child.pid as number);
    process.kill(first as number, 'SIGKILL');
    const before = made();
    while (made() <= before && child.exitCode === null) await sleep(10);
    expect(child.exitCode).toBe(null);
    for (const pid of others) process.kill(pid, 'SIGUSR2');
    const { code, stderr } = await ended;
    expect(stderr).toContain('all workers of the sort have ended, the last with SIGUSR2');
    expect(code).toBe(1);
    expect(readdirSync(path('')).sort()).toEqual(['in']);
  }, 120_000);

  it('ends everything when it is interrupted', async ({ skip }) => {
    skip(!ends.includes('interrupted'), NOT_DRAWN);
    const child = submitLocally(randomNumbers(400_000), '--parts', '256');
    const ended = ending(child);
    const isAtWork = () =>
      readdirSync(path('')).some((name) => name.startsWith('.keysweep-cluster'));
    while (!isAtWork()) await sleep(10);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ signal: 'SIGINT' });
    expect(readdirSync(path('')).sort()).toEqual(['in']);
  });
});

it.each([
  [['submit', '-t', 'u8', 'in'], 'submit needs an INPUT and an --output that are files'],
  [
    ['submit', '-t', 'u8', 'in', '-o', 'out'],
    '--connection, or KEYSWEEP_CONNECTION, must name a store, such as redis://127.0.0.1:6379',
  ],
  [
    ['submit', '-t', 'u8', 'in', '-o', 'out', '--local', '2', '--connection', 'redis://a'],
    '--local and --connection exclude each other',
  ],
  [['submit', 'in.parquet', '-c', 'a', '-o', 'out'], "unknown option '-c'"],
  [['worker', '--connection', 'redis://a'], 'worker needs --root'],
  [
    ['worker', '--root', '.', '--concurrency', '0', '--connection', 'redis://a'],
    '--concurrency must be',
  ],
])('%j is not a valid command line', async (args, message) => {
  const { code, stderr } = await inProcess(args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});

it.each(['no-address', 'user:secret@127.0.0.1', 'http://user:secret@127.0.0.1/x'])(
  '%s as the store is refused with examples of what is right',
  async (connection) => {
    const args = ['submit', '-t', 'u8', KEYSWEEP, '-o', 'out', '--connection', connection];
    const { code, stderr } = await inProcess(args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(EXAMPLES) });
    expect(stderr).not.toContain('secret');
  },
);

/** The message shows both whole, though passwords are taken out of addresses in it. */
const EXAMPLES = 'such as redis://127.0.0.1:6379 or postgres://127.0.0.1/database, got ';

describe('the password of a store', () => {
  const SECRET = 'hunter2-correct-horse';
  const address = `redis://user:${SECRET}@127.0.0.1:1`;
  const sort = ['submit', '-t', 'u8', KEYSWEEP, '-o', 'out'];

  it.each([
    [[...sort, '--connection', address]],
    [[...sort, '--connection', `postgres://user:${SECRET}@127.0.0.1:1/db`]],
    [[...sort, '--connection', `http://user:${SECRET}@127.0.0.1`]],
    [[...sort, '--connection', `redis://user:1/${SECRET}@127.0.0.1`]],
    [[...sort, '--connection', SECRET]],
    [[...sort, '--local', address]],
    [[...sort, address]],
    [[...sort, `--conection=${address}`]],
    [['submit', '-t', address, KEYSWEEP, '-o', 'out']],
    [['submit', '-t', 'u8', `s3://key:${SECRET}@bucket/in`, '-o', 'out', '--local', '1']],
    [['worker', '--root', '.', '--connection', address]],
    [['worker', '--root', address, '--connection', address]],
    [['worker', '--root', `s3://key:${SECRET}@bucket`, '--connection', address]],
    [['worker', '--root', '.', address]],
    [['worker', '--root', '.', '--concurrency', address]],
    [['sort', '-t', 'u8', address]],
    [[address]],
  ])('is not on standard error of %j', async (args) => {
    const { code, stderr } = await inProcess(args);
    expect(code).toBeGreaterThan(0);
    // The client of S3 may warn of the end of Node 20 first.
    expect(stderr).toMatch(/^keysweep: .+\n$/m);
    expect(stderr).not.toContain(SECRET);
  });

  it('is not in the list of processes', async ({ skip }) => {
    if (!existsSync('/proc/self/cmdline')) skip('there is no /proc/PID/cmdline here');
    // A store that never answers.
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const store = `redis://user:${SECRET}@127.0.0.1:${port}`;
    writeFileSync(path('in'), 'ab');
    const commands = [
      ['worker', '--root', path('')],
      ['submit', '-t', 'u8', path('in'), '-o', path('out')],
    ];
    for (const args of commands) {
      const connected = once(server, 'connection') as Promise<[Socket]>;
      const child = spawn(process.execPath, [KEYSWEEP, ...args, '--connection', store]);
      const ended = ending(child);
      const [socket] = await connected;
      expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).not.toContain(SECRET);
      child.kill('SIGTERM');
      socket.destroy();
      expect((await ended).stderr).not.toContain(SECRET);
    }
    server.close();
  });
});
