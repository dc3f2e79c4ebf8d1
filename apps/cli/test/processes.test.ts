/** Child processes of `keysweep sort`, and a worker on a GPU. */

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { ending, inProcess, KEYSWEEP, scratch } from './command.js';
import { SEED } from './keys.js';

const path = scratch();

/** Random numbers in the file 'in'. */
function numbersFile(length: number): Uint32Array {
  const numbers = new Random(SEED).fill(new Uint32Array(length));
  writeFileSync(path('in'), numbers);
  return numbers;
}

describe('sort --processes', () => {
  it('sorts by as many processes as asked for, and reports each', async () => {
    const numbers = numbersFile(400_000);
    const args = ['sort', '-t', 'u32', '--processes', '2', '--threads', '1', '--memory', '1M'];
    const { code, stderr } = await inProcess([...args, '--report', path('in'), '-o', path('out')]);
    expect(code).toBe(0);
    const sorted = Buffer.from(numbers.sort().buffer);
    expect(readFileSync(path('out')).equals(sorted), `seed ${SEED}`).toBe(true);
    const processes = /\n {2}process \d+ +\d+ parts by 1 threads/g;
    expect(stderr.match(processes), stderr).toHaveLength(2);
    expect(readdirSync(path('')).sort()).toEqual(['in', 'out']);
  });

  it('ends all of them when it is interrupted, and leaves nothing', async () => {
    numbersFile(4_000_000);
    const args = ['sort', '-t', 'u32', '--processes', '2', '--memory', '1M'];
    const child = spawn(process.execPath, [KEYSWEEP, ...args, path('in'), '-o', path('out')]);
    const ended = ending(child);
    const children = () =>
      readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').match(/\d+/g) ?? [];
    while (children().length < 2) await sleep(5);
    const pids = children();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ signal: 'SIGINT' });
    expect(readdirSync(path(''))).toEqual(['in']);
    while (pids.some((pid) => existsSync(`/proc/${pid}`))) await sleep(5);
  });

  it.each([
    [['--processes', '0'], '--processes must be a whole number from 1 on'],
    [['--gpu', 'first'], '--gpu must be a whole number from 0 on'],
    [['--processes', '2', '--unique', '-o', 'out'], 'and are not for --unique'],
    [['--gpu', '0'], 'need an OUTPUT that is a file'],
    [['--gpu', '0', '--backend', 'cpu', '-o', 'out'], 'leave --backend out'],
    [['--processes', '2', '--head', '3', '-o', 'out'], '--processes is for whole files of raw'],
  ])('%j is bad usage', async (args, message) => {
    const { code, stderr } = await inProcess(['sort', '-t', 'u32', 'in', ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('worker --gpu', () => {
  const store = ['--connection', 'redis://127.0.0.1:1', '--root', '/'];

  it('says where there is no such GPU, before it asks the store', async () => {
    const { code, stderr } = await inProcess(['worker', ...store, '--gpu', '999']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keysweep: there is no GPU 999: GPUs are counted from 0, [^\n]+\n$/);
  });

  it('takes no threads', async () => {
    const { code, stderr } = await inProcess(['worker', ...store, '--gpu', '0', '--threads', '2']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^keysweep: --threads are those of the CPU, but --gpu names a GPU/);
  });
});
