/** What the doctor asks a sorter for, which is made up here, and prints. */

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runDoctor } from '../src/commands/doctor.js';

const asked: { operation: string; keyType: unknown; length: number }[] = [];
const calls: string[] = [];

vi.mock('keysweep', async (original) => ({
  ...(await original<object>()),
  createSorter: async () => ({
    capabilities: async () => {
      calls.push('capabilities');
      return { builtin: { available: false, reason: 'none here' } };
    },
    warmUp: async (length: number) => void calls.push(`warmUp ${length}`),
    calibrate: async () => void calls.push('calibrate'),
    plan: (request: (typeof asked)[number]) => {
      if (request.length > 0) asked.push(request);
      const step = { backend: 'cpu', reason: 'quick', milliseconds: request.length / 1e4 };
      return { steps: [step], refused: [], profile: { name: 'p', reason: 'r' } };
    },
    close: async () => void calls.push('close'),
  }),
}));

let printed = '';
beforeEach(() => {
  [asked.length, calls.length, printed] = [0, 0, ''];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation(((
    bytes: Uint8Array,
    done: () => void,
  ) => {
    printed += Buffer.from(bytes).toString();
    done();
    return true;
  }) as never);
  const tty = process.stdout.isTTY;
  process.stdout.isTTY = true;
  onTestFinished(() => {
    write.mockRestore();
    process.stdout.isTTY = tty as never;
  });
});

const LENGTHS = [10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
const KINDS = [
  ...[
    ['sort', 'u8'],
    ['sort', 'u16'],
    ['sort', 'u32'],
    ['sort', 'f32'],
    ['sort', 'f64'],
  ],
  ...[
    ['sort', 'u64'],
    ['sortPairs', 'u32'],
    ['sortPairs', 'f64'],
    ['argsort', 'u32'],
  ],
  ...[
    ['argsort', 'f64'],
    ['argsort', ['i32', 'f32']],
  ],
] as const;

describe('the doctor', () => {
  it('asks for each kind of request at each length, of backends that are warm', async () => {
    await runDoctor({ name: 'doctor', json: true, calibrate: false }, '1.2.3');
    expect(calls).toEqual(['capabilities', `warmUp ${2 ** 22}`, 'close']);
    expect(asked).toEqual(
      KINDS.flatMap(([operation, keyType]) =>
        LENGTHS.map((length) => ({ operation, keyType, length })),
      ),
    );
    const { version, picks, profile, machine, backends } = JSON.parse(printed);
    expect([version, profile]).toEqual(['1.2.3', { name: 'p', reason: 'r' }]);
    expect(picks.map(({ request }: { request: string }) => request)).toEqual(
      KINDS.map(
        ([operation, type]) => `${operation} ${Array.isArray(type) ? type.join(' + ') : type}`,
      ),
    );
    expect(picks[3].choices[5]).toEqual({
      ...{ length: 1e6, backend: 'cpu', reason: 'quick', milliseconds: 100 },
    });
    expect(machine).toMatchObject({ node: process.versions.node, wasmThreads: true });
    expect(machine).toMatchObject({ sharedArrayBuffer: true, platform: process.platform });
    expect(machine.cores).toBeGreaterThan(0);
    expect(backends).toEqual({ builtin: { available: false, reason: 'none here' } });
  });

  it('measures first if it is told to, and prints tables', async () => {
    await runDoctor({ name: 'doctor', json: false, calibrate: true }, '1.2.3');
    expect(calls).toEqual(['capabilities', `warmUp ${2 ** 22}`, 'calibrate', 'close']);
    const lines = printed.split('\n');
    expect(lines).toContain('  builtin  not available  none here');
    expect(lines).toContain('  profile: p (r)');
    expect(
      lines.filter((line) => /^ {2}keys +10 +100 +1,000 +1e4 +1e5 +1e6 +1e7 +1e8$/.test(line)),
    ).toHaveLength(2);
    expect(lines.find((line) => /^ {2}sort u8 /.test(line))).toMatch(
      / 1µs +10µs +100µs +1ms +10ms +100ms +1s +10s$/,
    );
    expect(lines.filter((line) => /^ {2}argsort i32 \+ f32( +cpu){8}$/.test(line))).toHaveLength(1);
  });
});
