import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isThorough, THOROUGH_ONLY } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { optionsOf } from '../src/commands/cpu.js';
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

  it('runs cpu without a subcommand: a row for each definition', () => {
    const { status, stdout } = main('--only', 'u32 100 ', '--samples', '1', '--seed', '5');
    expect(status).toBe(0);
    expect(stdout).toContain('seed 5');
    const rows = stdout.split('\n').filter((line) => line.startsWith('sort '));
    expect(rows).toHaveLength(4);
    for (const row of rows) {
      expect(row).toMatch(/^sort +u32 +\w+ +100 +\w+ +[\d.,]+ .s +[\d.,]+ .s +[\d.]+x +yes$/);
    }
  });
});

describe('the options of cpu', () => {
  it('select definitions', () => {
    const { definitions, samples, seed } = optionsOf(['--only', 'f64 1e6', '--seed', '7']);
    expect(definitions.map(({ operation }) => operation)).toEqual(['sort', 'argsort', 'sortPairs']);
    expect([samples, seed]).toEqual([undefined, 7]);
  });

  it.each([
    [['--only', 'bogus'], "--only 'bogus' matches none of"],
    [['--samples', '0'], "--samples must be a whole number from 1 on, got '0'"],
    [['--samples', '2.5'], "--samples must be a whole number from 1 on, got '2.5'"],
    [['--seed', 'x'], "--seed must be a whole number from 0 on, got 'x'"],
    [['--fast'], '--fast'],
  ])('are refused: %j', (args, message) => {
    expect(() => optionsOf(args)).toThrow(message);
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
