/** `gpu-sort`: the webgpu backend on ordinary arrays, in turns with the built-in sort. */

import { makeKeys } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { type KeyArray, plainRequest } from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import { describeGpu, formatGpu, GpuMachine } from '../gpu/device/machine.js';
import { MACHINE_HELP, machineOf } from '../gpu/device/options.js';
import { MADE_TYPES } from '../gpu/inputs/distributions.js';
import { areRight, type SuiteCase, suite } from '../measure/suite.js';
import { faultOf } from '../measure/workload.js';
import type { Command } from '../program/command.js';
import { lengthsOf, someOf } from '../program/options.js';
import { formatCount, formatTime } from '../program/table.js';
import type { CpuResult } from './cpu.js';

const PHASES = ['upload', 'sort', 'readback'] as const;

/** Milliseconds of each phase of a sort. */
type Phases = Readonly<Record<(typeof PHASES)[number], number>>;

export interface GpuSortResult extends CpuResult {
  /** Milliseconds of each phase, one number a sample. */
  readonly phases: Readonly<Record<keyof Phases, readonly number[]>>;
}

export const command: Command = suite({
  help: `Times the webgpu backend on ordinary arrays, in turns with the built-in sort. Every result
is checked.

  --sizes 20,22      powers of two (20,22,24,26)
  --types u32,f32    of u32, f32, u64 (u32,f32)
${MACHINE_HELP}`,
  flags: {
    sizes: '20,22,24,26',
    types: 'u32,f32',
    ...{ features: 'none', variant: 'auto', software: undefined as string | undefined },
  },
  async open(values, { random }) {
    const lengths = lengthsOf(values.sizes);
    const keyTypes = someOf('--types', values.types, MADE_TYPES);
    const machine = await GpuMachine.find(machineOf(values, false));
    const device = await machine.device();
    const gpu = describeGpu(device);
    device.destroy();
    const backend = webgpu({ requestAdapter: () => machine.adapter() });
    const cases = keyTypes.flatMap((keyType) =>
      lengths.map((length): SuiteCase => {
        const definition = { operation: 'sort', keyType, length, distribution: 'random' } as const;
        return {
          name: `sort ${keyType} ${formatCount(length)}`,
          // Fewer of long arrays, because the built-in sort takes seconds.
          samples: length < 2 ** 24 ? 7 : 3,
          warmUps: 1,
          async makeRound() {
            await backend.warmUp(length);
            const keys = makeKeys(keyType, length, 'random', random);
            const way = (name: string, sort: (keys: KeyArray) => Promise<Phases | undefined>) => {
              const copy = keys.slice();
              return { name, run: async () => ({ phases: await sort(copy), keys: copy }) };
            };
            return {
              ways: [
                way('webgpu', async (copy) => {
                  const { milliseconds } = await backend.sort(plainRequest('sort', copy));
                  return { upload: 0, sort: 0, readback: 0, ...milliseconds };
                }),
                way('built-in', async (copy) => {
                  copy.sort();
                  return undefined;
                }),
              ],
              check: (sorted: { readonly keys: KeyArray }) =>
                faultOf(
                  { columns: [keys], values: undefined },
                  { keys: sorted.keys, values: undefined, order: undefined },
                ),
            };
          },
          noteOf: ({ phases }: { readonly phases: Phases | undefined }) => phases,
          cellsOf: ({ name, notes }) =>
            PHASES.map((phase) => (name === 'webgpu' ? formatTime(medianOf(notes, phase)) : '')),
          resultsOf(timings): readonly GpuSortResult[] {
            const [ours, theirs] = timings.map(({ milliseconds }) => milliseconds);
            const times = { ours: ours ?? [], theirs: theirs ?? [], verified: areRight(timings) };
            const notes = (timings[0]?.notes ?? []) as readonly Phases[];
            const samplesOf = (phase: keyof Phases) => notes.map((note) => note[phase]);
            const phases = {
              upload: samplesOf('upload'),
              sort: samplesOf('sort'),
              readback: samplesOf('readback'),
            };
            return [{ ...definition, backend: 'webgpu', calls: 1, ...times, phases }];
          },
        };
      }),
    );
    return {
      cases,
      about: { gpu },
      intro: formatGpu(gpu),
      columns: PHASES.map((title) => ({ title, width: 8, align: 'right' })),
      close: () => backend.close(),
    };
  },
});

const medianOf = (notes: readonly unknown[], phase: keyof Phases): number =>
  median((notes as readonly Phases[]).map((note) => note[phase]));
