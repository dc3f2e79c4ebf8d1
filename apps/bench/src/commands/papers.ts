/** `papers`: the sorts that the sources describe, beside keysweep on the same machine. */

import { parseArgs } from 'node:util';
import { Random, runSeed } from '@keysweep/conformance/data';
import {
  describeGpu,
  formatGpu,
  type GpuDescription,
  GpuMachine,
  type MachineOptions,
} from '../gpu/device/machine.js';
import { MACHINE_FLAGS, MACHINE_HELP, machineOf } from '../gpu/device/options.js';
import { CPU_LENGTHS, measureOnCpu } from '../papers/cpu.js';
import { definitionsOf, LENGTHS, OURS, SORTS } from '../papers/definitions.js';
import { fits, measurePaper, type PaperResult } from '../papers/measure.js';
import { headOfPapers, rowOfPaper, tablesOf } from '../papers/tables.js';
import { lengthsOf, matching, oneOf } from '../program/options.js';
import { formatCount } from '../program/table.js';
import { addResult, newRecord } from '../record/record.js';
import type { RecordedTiming } from '../references/timings.js';

export const help: string = `Times the sorts that keysweep's sources describe, and RadixSorter, on
u32 keys in GPU buffers; then prints a table a source, with what it says and whether that held.
Every result is checked, by the GPU. At 2^20 and 2^24, or where a sort ends before, keys are also
reversed and of less entropy, and pairs are sorted.

  --sizes 10,20      powers of two (10,12,14 to 28; with --cpu 10,14,18,20,22,24)
  --only TEXT        only sorts with TEXT in their name, and keysweep
  --cpu              on the CPU instead: buffered radix sort and merge sort, on one thread
  --json FILE        writes the samples
  --clock host       without timestamps
${MACHINE_HELP}`;

export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      ...MACHINE_FLAGS,
      sizes: { type: 'string' },
      only: { type: 'string', default: '' },
      cpu: { type: 'boolean', default: false },
      clock: { type: 'string', default: 'gpu' },
      json: { type: 'string' },
    },
  });
  const lengths = values.sizes === undefined ? undefined : lengthsOf(values.sizes);
  const clock = oneOf('--clock', values.clock, ['gpu', 'host'] as const);
  const only = matching(SORTS, (name) => name, values.only);
  const seed = runSeed();
  const random = new Random(seed);
  console.log(`Seed:     ${seed} (KEYSWEEP_SEED repeats it)`);
  if (values.cpu) {
    const record = newRecord<RecordedTiming, object>(seed, {});
    const { cpu, cores, node } = record.machine;
    console.log(`${cpu}, ${cores} cores, Node.js ${node}. Medians of a call, copies included.`);
    return measureOnCpu(lengths ?? CPU_LENGTHS, random, (result) =>
      addResult(record, result, values.json),
    );
  }
  const machine = machineOf(values, clock === 'gpu');
  const sorts = SORTS.filter((name) => name === OURS || only.includes(name));
  return measureOnGpu(machine, sorts, lengths ?? LENGTHS, {
    clock,
    json: values.json,
    random,
    seed,
  });
}

interface Run {
  readonly clock: 'gpu' | 'host';
  readonly json: string | undefined;
  readonly random: Random;
  readonly seed: number;
}

async function measureOnGpu(
  options: MachineOptions,
  sorts: readonly string[],
  lengths: readonly number[],
  { clock, json, random, seed }: Run,
): Promise<boolean> {
  const device = await (await GpuMachine.find(options)).device();
  const gpu = describeGpu(device);
  console.log(`${formatGpu(gpu)}\nMedians of one sort, of fresh keys each time.\n`);
  console.log(headOfPapers());
  const record = newRecord<PaperResult, { gpu: GpuDescription }>(seed, { gpu });
  const usable = device.features.has('timestamp-query') ? clock : 'host';
  for (const [definition, distributions] of definitionsOf(sorts, lengths)) {
    if (!fits(device, definition)) {
      const { sort, length } = definition;
      console.log(`${sort} of ${formatCount(length)} keys: more than a binding holds`);
      continue;
    }
    for (const result of await measurePaper(device, definition, distributions, usable, random)) {
      addResult(record, result, json);
      console.log(rowOfPaper(result, record.results));
    }
  }
  device.destroy();
  console.log(`\n${tablesOf(record.results)}`);
  return record.results.every(({ verified }) => verified);
}
