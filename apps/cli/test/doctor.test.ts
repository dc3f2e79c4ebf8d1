import { availableParallelism } from 'node:os';
import { isThorough } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { type Diagnosis, formatDiagnosis } from '../src/commands/doctor.js';
import { keysweep } from './command.js';

describe('keysweep doctor', () => {
  /** What `keysweep doctor --json` prints. */
  async function diagnose(...flags: string[]): Promise<Diagnosis> {
    const { code, stdout, stderr } = await keysweep(['doctor', '--json', ...flags]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout.toString()) as Diagnosis;
  }

  function expectDiagnosis(diagnosis: Diagnosis): void {
    expect(diagnosis.machine).toMatchObject({
      node: process.versions.node,
      cores: availableParallelism(),
      sharedArrayBuffer: true,
    });
    expect(diagnosis.backends.builtin).toMatchObject({ available: true });
    expect(diagnosis.picks.length).toBeGreaterThan(5);
    for (const { choices } of diagnosis.picks) {
      expect(choices.map(({ length }) => length)).toEqual([10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);
      for (const { backend, reason, milliseconds } of choices) {
        expect(milliseconds).toBeGreaterThan(0);
        expect(diagnosis.backends[backend]).toMatchObject({ available: true });
        expect(reason).not.toBe('');
      }
    }
  }

  function expectText(text: string): void {
    expect(text).toContain(`on Node.js ${process.versions.node}`);
    expect(text).toMatch(new RegExp(`processor +.*, ${availableParallelism()} cores`));
    expect(text).toMatch(/\n {2}SharedArrayBuffer +yes\n {2}WebAssembly threads +yes\n/);
    expect(text).toMatch(/\nBackends\n( {2}\w+ +(not )?available +.+\n)+/);
    expect(text).toMatch(/\n {2}builtin +available /);
    expect(text).toMatch(/\n {2}keys +10 +100 +1,000 +1e4 +1e5 +1e6 +1e7 +1e8\n/);
    expect(text).toMatch(/\n {2}profile: built-in \(/);
    expect(text).toMatch(/\n {2}sort u32( +[\d.]+(µs|ms|s)){8}\n/);
    expect(text).toMatch(/\n {2}argsort i32 \+ f32( +\w+){8}\n$/);
    expect(text).not.toMatch(/ \n/);
  }

  it('prints machine, backends, estimates and choices, as JSON and as text', async () => {
    const diagnosis = await diagnose();
    expectDiagnosis(diagnosis);
    expect(diagnosis.profile.name).toBe('built-in');
    expectText(formatDiagnosis(diagnosis));
  });

  const thorough = isThorough ? it : () => {};
  thorough('prints text without --json', async () => {
    const { code, stdout, stderr } = await keysweep(['doctor']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expectText(stdout.toString());
  });

  thorough('measures the backends first with --calibrate', async () => {
    const diagnosis = await diagnose('--calibrate');
    expectDiagnosis(diagnosis);
    expect(diagnosis.profile.name).toMatch(/^measured 20\d\d-/);
  });

  it('prints why a backend is not available', () => {
    const text = formatDiagnosis({
      version: '1.2.3',
      machine: {
        node: '20.0.0',
        platform: 'linux',
        arch: 'x64',
        cpu: 'Some CPU',
        cores: 4,
        memory: 16e9,
        freeMemory: 2.5e9,
        sharedArrayBuffer: false,
        wasmThreads: false,
      },
      backends: {
        cpu: { available: false, reason: 'no threads' },
        builtin: {
          available: true,
          capabilities: { description: 'always there', software: false, threads: 1 },
        },
      },
      profile: { name: 'built-in', reason: 'not measured' },
      picks: [
        {
          request: 'sort u32',
          choices: [{ length: 10, backend: 'builtin', reason: 'small', milliseconds: 0.00312 }],
        },
      ],
    });
    expect(text.split('\n')).toEqual([
      'keysweep 1.2.3 on Node.js 20.0.0, linux x64',
      '',
      'This machine',
      '  processor            Some CPU, 4 cores',
      '  memory               16.0 GB, 2.5 GB of it free',
      '  SharedArrayBuffer    no',
      '  WebAssembly threads  no',
      '',
      'Backends',
      '  cpu      not available  no threads',
      '  builtin  available      always there',
      '',
      'Estimated time of a sort, by number of keys',
      '  profile: built-in (not measured)',
      '  keys         10  100  1,000  1e4  1e5  1e6  1e7  1e8',
      '  sort u32  3.1µs',
      '',
      "Backend that 'auto' chooses when all are started, by number of keys",
      '  keys           10  100  1,000  1e4  1e5  1e6  1e7  1e8',
      '  sort u32  builtin',
      '',
    ]);
  });
});
