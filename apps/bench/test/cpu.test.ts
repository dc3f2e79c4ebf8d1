import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isThorough, THOROUGH_ONLY } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { readFlights } from '../src/inputs/flights.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

const main = (...args: string[]) =>
  spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });

describe('the program', () => {
  it('lists its subcommands, and refuses others', () => {
    const help = main('--help');
    expect(help.status).toBe(0);
    expect(help.stdout).toMatch(/^ {2}cpu +times /m);
    const unknown = main('dance');
    expect(unknown.status).toBe(1);
    expect(unknown.stderr).toContain("there is no subcommand 'dance'");
  });

  it('prints the help of a subcommand', () => {
    const { status, stdout } = main('regret', '--help');
    expect(status).toBe(0);
    expect(stdout).toContain('--shortest N');
  });

  it('runs cpu without a subcommand: a row for each way of each definition', () => {
    const { status, stdout } = main('--only', 'u32 100 ', '--samples', '1', '--seed', '5');
    expect(status).toBe(0);
    expect(stdout).toContain('seed 5');
    const rows = stdout.split('\n').filter((line) => line.startsWith('sort '));
    expect(rows).toHaveLength(8);
    for (const row of rows) {
      expect(row).toMatch(
        /^sort u32 100 \w+ +(keysweep|built-in) +[\d.,]+ .s +[\d.]+x +(\w+ +)?yes$/,
      );
    }
  });

  it('writes a record: a result for each definition', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keysweep-cpu-'));
    const json = join(folder, 'record.json');
    try {
      main('cpu', '--only', 'i16 1000 ', '--samples', '2', '--seed', '5', '--json', json);
      const { seed, results } = JSON.parse(await readFile(json, 'utf8'));
      expect(seed).toBe(5);
      expect(results).toEqual([
        {
          ...{ operation: 'sort', keyType: 'i16', length: 1000, distribution: 'random' },
          ...{ backend: expect.any(String), calls: 200, verified: true },
          ours: [expect.any(Number), expect.any(Number)],
          theirs: [expect.any(Number), expect.any(Number)],
        },
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([
    [['--only', 'bogus'], "--only 'bogus' matches none of"],
    [['--samples', '0'], "--samples must be a whole number from 1 on, got '0'"],
    [['--samples', '2.5'], "--samples must be a whole number from 1 on, got '2.5'"],
    [['--seed', 'x'], "--seed must be a whole number from 0 on, got 'x'"],
    [['--fast'], '--fast'],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = main('cpu', ...args);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
  });
});

it('readFlights reads three million flights', async ({ skip }) => {
  skip(!isThorough, THOROUGH_ONLY);
  const { date, delay, distance } = await readFlights();
  for (const column of [date, delay, distance]) expect(column).toHaveLength(3_000_000);
  const micros = (text: string) => BigInt(Date.parse(text)) * 1000n;
  const isIn2001 = (time: bigint) =>
    time >= micros('2001-01-01T00:00Z') && time < micros('2002-01-01T00:00Z');
  expect(date.every(isIn2001)).toBe(true);
  expect(distance.every((miles) => miles > 0n && miles < 5000n)).toBe(true);
  expect(delay.some((minutes) => minutes < 0n) && delay.some((minutes) => minutes > 60n)).toBe(
    true,
  );
});
