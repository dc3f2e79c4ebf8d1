import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type Diagnosis, formatDiagnosis } from '../src/commands/doctor.js';
import { keysweep } from './command.js';

describe('keysweep doctor', () => {
  it('says what is here, and what would be picked', async () => {
    const { code, stdout, stderr } = await keysweep(['doctor']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const text = stdout.toString();
    expect(text).toContain(`on Node.js ${process.versions.node}`);
    expect(text).toMatch(new RegExp(`processor +.*, ${availableParallelism()} cores`));
    expect(text).toMatch(/\n {2}SharedArrayBuffer +yes\n {2}WebAssembly threads +yes\n/);
    expect(text).toMatch(/\nBackends\n( {2}\w+ +(works|not here) +.+\n)+/);
    expect(text).toMatch(/\n {2}builtin +works /);
    expect(text).toMatch(/\n {2}keys +10 +100 +1,000 +1e4 +1e5 +1e6 +1e7 +1e8\n/);
    expect(text).toMatch(/\n {2}by figures that are built-in: this machine has not been measured/);
    expect(text).toMatch(/\n {2}sort u32( +[\d.]+ (µs|ms|s)){8}\n/);
    expect(text).toMatch(/\n {2}argsort i32 \+ f32( +\w+){8}\n$/);
    expect(text).not.toMatch(/ \n/);
  });

  it('says the same to a program with --json, after a measurement if that is wanted', async () => {
    const { code, stdout } = await keysweep(['doctor', '--calibrate', '--json']);
    expect(code).toBe(0);
    const diagnosis = JSON.parse(stdout.toString()) as Diagnosis;
    expect(diagnosis.machine).toMatchObject({
      node: process.versions.node,
      cores: availableParallelism(),
      sharedArrayBuffer: true,
    });
    expect(diagnosis.backends.builtin).toMatchObject({ available: true });
    expect(diagnosis.profile.name).toMatch(/^measured 20\d\d-/);
    expect(diagnosis.picks.length).toBeGreaterThan(5);
    for (const { choices } of diagnosis.picks) {
      expect(choices.map(({ length }) => length)).toEqual([10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);
      for (const { backend, reason, milliseconds } of choices) {
        expect(milliseconds).toBeGreaterThan(0);
        expect(diagnosis.backends[backend]).toMatchObject({ available: true });
        expect(reason).not.toBe('');
      }
    }
  });

  it('shows why a backend is not here', () => {
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
      profile: { name: 'built-in', reason: 'nobody has measured' },
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
      '  cpu      not here  no threads',
      '  builtin  works     always there',
      '',
      'How long a sort is expected to take',
      '  by figures that are built-in: nobody has measured',
      '  keys          10  100  1,000  1e4  1e5  1e6  1e7  1e8',
      '  sort u32  3.1 µs',
      '',
      "What 'auto' picks once it is warm, by number of keys",
      '  keys           10  100  1,000  1e4  1e5  1e6  1e7  1e8',
      '  sort u32  builtin',
      '',
    ]);
  });
});
