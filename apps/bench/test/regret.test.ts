import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { optionsOf } from '../src/commands/regret.js';
import { faultOf, type Input } from '../src/measure/workload.js';
import { choicesOf, KEY_TYPES, LENGTHS, OPERATIONS } from '../src/regret/definitions.js';
import { type RegretResult, summaryOf } from '../src/regret/measure.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

const regret = (...args: string[]) =>
  spawnSync(process.execPath, [MAIN, 'regret', ...args], { encoding: 'utf8' });

describe('regret', () => {
  it('measures all backends for each choice, and writes a record', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keysweep-regret-'));
    const json = join(folder, 'record.json');
    const selection = ['--longest', '1000', '--types', 'f64', '--operations', 'sort,argsort'];
    const { status, stdout, stderr } = regret(...selection, '--samples', '1', '--json', json);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const rows = stdout.split('\n').filter((line) => line.endsWith(' yes'));
    expect(rows.length).toBe(6);
    expect(stdout).toMatch(/Regret after calibrate\(\) {2}: mean [\d.]+, worst [\d.]+ \(/);
    const record = JSON.parse(await readFile(json, 'utf8'));
    expect(record.profile.key.runtime).toBe(`Node.js ${process.versions.node}`);
    expect(record.results.length).toBe(6);
    for (const { samples, builtIn, calibrated } of record.results as RegretResult[]) {
      expect(Object.keys(samples).sort()).toEqual(['builtin', 'cpu']);
      for (const { regret } of [builtIn, calibrated]) expect(regret).toBeGreaterThanOrEqual(1);
    }
    await rm(folder, { recursive: true });
  });

  it.each([
    [['--types', 'u7'], "--types takes u8, u16, u32, f32, u64, f64: got 'u7'"],
    [['--longest', 'far'], "--longest must be a whole number from 1 on, got 'far'"],
  ])('refuses %j', (args, message) => {
    expect(() => optionsOf(args)).toThrow(message);
  });
});

describe('choices', () => {
  it('are of all lengths, types and operations, or of the selected ones', () => {
    const all = { shortest: 1, longest: 2 ** 26, keyTypes: KEY_TYPES, operations: OPERATIONS };
    expect(choicesOf(all).length).toBe(LENGTHS.length * KEY_TYPES.length * OPERATIONS.length);
    const few = choicesOf({ ...all, shortest: 1000, longest: 10_000, keyTypes: ['u8'] });
    expect(few.length).toBe(9);
  });
});

describe('the check in one read', () => {
  const given = Float64Array.of(3, 1, 2, 1);
  const input: Input = { columns: [given], values: undefined };
  const sorted = { keys: Float64Array.of(1, 1, 2, 3), values: undefined, order: undefined };
  const fault = (result: object): string | undefined => faultOf(input, { ...sorted, ...result });

  it('finds what is out of order, lost, or with another key', () => {
    expect(fault({})).toBeUndefined();
    expect(fault({ keys: Float64Array.of(1, 2, 1, 3) })).toMatch(/out of order/);
    expect(fault({ keys: Float64Array.of(1, 1, 2, 4) })).toMatch(/other keys than in the input/);
    expect(fault({ order: Uint32Array.of(1, 3, 2, 0) })).toBeUndefined();
    expect(fault({ order: Uint32Array.of(3, 1, 2, 0) })).toMatch(/row 3 at 0 comes before row 1/);
    expect(fault({ values: Uint32Array.of(1, 3, 2, 0) })).toBeUndefined();
    const swapped = { keys: given, values: Uint32Array.of(1, 3, 2, 0) };
    expect(fault(swapped)).toMatch(/element 0 is 3 .*, but row 1 is 1 /);
  });
});

it('means are geometric', () => {
  const result = (regret: number): RegretResult => {
    const chosen = { backend: 'cpu', predicted: 1, regret } as const;
    const choice = { operation: 'sort', keyType: 'u8', length: 100 * regret } as const;
    return {
      ...choice,
      samples: {},
      calls: {},
      builtIn: chosen,
      calibrated: { ...chosen, regret: 1 },
      verified: true,
    };
  };
  expect(summaryOf([result(1), result(4)])).toBe(
    'Regret without calibration: mean 2.000, worst 4.00 (sort of 400 u8 by cpu)\n' +
      'Regret after calibrate()  : mean 1.000, worst 1.00 (sort of 100 u8 by cpu)',
  );
});
