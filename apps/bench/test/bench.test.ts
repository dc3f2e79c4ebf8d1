import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readFlights } from '../src/inputs/flights.js';

const BENCH = fileURLToPath(new URL('../dist/commands/cpu.js', import.meta.url));

const bench = (...args: string[]) =>
  spawnSync(process.execPath, [BENCH, ...args], { encoding: 'utf8' });

describe('npm run bench', () => {
  it('prints a row a definition', () => {
    const { status, stdout } = bench('--only', 'u32 100 ', '--samples', '1', '--seed', '5');
    expect(status).toBe(0);
    expect(stdout).toContain('seed 5');
    const rows = stdout.split('\n').filter((line) => line.startsWith('sort '));
    expect(rows).toHaveLength(4);
    for (const row of rows) {
      expect(row).toMatch(/^sort +u32 +\w+ +100 +\w+ +[\d.]+ µs +[\d.]+ µs +[\d.]+x +yes$/);
    }
  });

  it.each([
    [['--only', 'bogus'], "--only 'bogus' matches none of"],
    [['--samples', '0'], "--samples must be a whole number from 1 on, got '0'"],
    [['--samples', '2.5'], "--samples must be a whole number from 1 on, got '2.5'"],
    [['--seed', 'x'], "--seed must be a whole number from 0 on, got 'x'"],
    [['--fast'], "Unknown option '--fast'"],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = bench(...args);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
  });
});

describe('readFlights', () => {
  it('reads three million flights', async () => {
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
});
