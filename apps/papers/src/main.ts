/**
 * The benchmark's program, `npm run papers` in the project's root: the sorts that the sources
 * describe, beside keysweep on the same machine.
 */

import { parseArgs } from 'node:util';
import {
  describeGpu,
  formatGpu,
  GpuMachine,
  type MachineOptions,
} from '@keysweep/bench/gpu/device/machine.js';
import { MACHINE_FLAGS, MACHINE_HELP, machineOf } from '@keysweep/bench/gpu/device/options.js';
import { type ReferenceTime, readReference } from '@keysweep/bench/gpu/reference.js';
import { copyRate } from '@keysweep/bench/gpu/timing/copy-rate.js';
import { runAsProgram } from '@keysweep/bench/program/command.js';
import { lengthsOf, matching, oneOf } from '@keysweep/bench/program/options.js';
import { formatCount } from '@keysweep/bench/program/table.js';
import { addResult, newRecord } from '@keysweep/bench/record/record.js';
import type { RecordedTiming } from '@keysweep/bench/references/comparison.js';
import { Random, runSeed } from '@keysweep/conformance/data';
import { CHECKED_LENGTHS, checkPapers, type PaperCheck } from './bench/check.js';
import { CPU_LENGTHS, measureOnCpu } from './bench/cpu.js';
import { definitionsOf, LENGTHS, OURS, SORTS } from './bench/definitions.js';
import { fits, measurePaper, type PaperResult, type PapersAbout } from './bench/measure.js';
import { resultsOf } from './bench/references.js';
import { claimsText, headOfPapers, rowOfPaper } from './bench/tables.js';

const HELP = `Times the sorts that keysweep's sources describe, and RadixSorter, on
u32 keys in GPU buffers; then prints what each source says, and whether that held.
Every result is checked, by the GPU. At 2^20 and 2^24, or where a sort ends before, keys are also
reversed and of less entropy, and pairs are sorted. 2^30 keys are more than a binding holds on most
devices: keysweep alone sorts them.

  --sizes 10,20      powers of two (10,12,14 to 30; with --cpu 10,14,18,20,22,24)
  --only TEXT        only sorts with TEXT in their name, and keysweep
  --check            checks instead of times: the conformance suite's, up to 2^16 keys; and by the
                     GPU, all kinds of keys, adversarial ones too, of 2^10 to 2^22 keys, and pairs
  --cpu              on the CPU instead: buffered radix sort and merge sort, on one thread
  --reference FILE   what apps/bench/references/cub-files.cu printed on this GPU of u32-uniform.24
                     and the like: CUB, and std::sort on its host, get lines of their own
  --json FILE        writes the samples
  --clock host       without timestamps
${MACHINE_HELP}`;

async function run(args: string[]): Promise<boolean> {
  if (args.includes('--help')) {
    console.log(HELP);
    return true;
  }
  const { values } = parseArgs({
    args,
    options: {
      ...MACHINE_FLAGS,
      sizes: { type: 'string' },
      only: { type: 'string', default: '' },
      check: { type: 'boolean', default: false },
      cpu: { type: 'boolean', default: false },
      reference: { type: 'string' },
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
  const { json } = values;
  if (values.check) return checkOnGpu(machine, sorts, lengths ?? CHECKED_LENGTHS, random, json);
  const reference = values.reference === undefined ? [] : readReference(values.reference);
  const options = { clock, json, random, seed, reference };
  return measureOnGpu(machine, sorts, lengths ?? LENGTHS, options);
}

/** Checks all, and prints a line for each sort and length. */
async function checkOnGpu(
  options: MachineOptions,
  sorts: readonly string[],
  lengths: readonly number[],
  random: Random,
  json: string | undefined,
): Promise<boolean> {
  const device = await (await GpuMachine.find(options)).device();
  const gpu = describeGpu(device);
  console.log(formatGpu(gpu));
  const record = newRecord<PaperCheck, PapersAbout>(random.seed, { gpu });
  await checkPapers(device, sorts, lengths, random, (check) => {
    addResult(record, check, json);
    const { sort, operation, length, by, distributions, faults } = check;
    const wrong = Object.entries(faults).map(
      ([distribution, fault]) => `${distribution}: ${fault}`,
    );
    const what = `${sort}, ${operation}, ${formatCount(length)} keys, by the ${by}`;
    console.log(`${what}: ${wrong.join('; ') || `right, ${distributions.length} kinds of keys`}`);
  });
  device.destroy();
  return record.results.every(({ verified }) => verified);
}

interface Run {
  readonly clock: 'gpu' | 'host';
  readonly json: string | undefined;
  readonly random: Random;
  readonly seed: number;
  readonly reference: readonly ReferenceTime[];
}

async function measureOnGpu(
  options: MachineOptions,
  sorts: readonly string[],
  lengths: readonly number[],
  { clock, json, random, seed, reference }: Run,
): Promise<boolean> {
  const device = await (await GpuMachine.find(options)).device();
  const gpu = describeGpu(device);
  console.log(`${formatGpu(gpu)}\nMedians of one sort, of fresh keys each time.\n`);
  console.log(headOfPapers());
  const usable = device.features.has('timestamp-query') ? clock : 'host';
  // Bytes a millisecond, read and written.
  const rate = usable === 'gpu' ? await copyRate(device) : undefined;
  const record = newRecord<PaperResult, PapersAbout>(seed, { gpu, copyRate: rate });
  for (const result of resultsOf(reference)) addResult(record, result, json);
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
  console.log(`\n${claimsText(record.results)}`);
  return record.results.every(({ verified }) => verified);
}

await runAsProgram(run);
