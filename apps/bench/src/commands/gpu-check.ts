/** `gpu-check`: the backend's conformance suite and RadixSorter's checks, without a test runner. */

import { parseArgs } from 'node:util';
import { Random, runSeed } from '@keysweep/conformance/data';
import { type Allowance, GPU_CHECKS, PORTABLE_SCRATCH } from '@keysweep/conformance/gpu';
import { CHECKS, runCheck } from '@keysweep/conformance/suite';
import { RadixSorter, webgpu } from '@keysweep/webgpu';
import { tuningOf } from '@keysweep/webgpu/tuning';
import { checkHuge, HUGE } from '../gpu/check/huge-check.js';
import { describeGpu, formatGpu, GpuMachine, type MachineOptions } from '../gpu/device/machine.js';
import { MACHINE_FLAGS, MACHINE_HELP, machineOf } from '../gpu/device/options.js';
import type { Command } from '../program/command.js';

const help = `Runs every check of the webgpu backend and of RadixSorter on this
machine's GPU.

  --only TEXT        only the checks whose name has TEXT in it
  --thorough         every combination instead of random ones
  --huge             sorts of twice as many records as one binding holds, too: 2^30 keys on most
                     GPUs, which takes 8 GiB of their memory
${MACHINE_HELP}`;

/** Keys that one workgroup sorts, by bytes of a key: TILE of @keysweep/webgpu. */
export const TILE = { 4: 3328, 8: 2304 } as const;

/** Lengths at which the backend sorts differently: tiles, blocks of several. */
const LENGTHS = [TILE[8], TILE[4], 4 * TILE[4]].flatMap((tile) => [tile - 1, tile, tile + 1]);

/** Longest random arrays, by whether the adapter is software. */
const MAX_LENGTH = { true: 110_000, false: 2 ** 24 + 3 } as const;

/** What scratch may take: by the docs of RadixSorter.scratchBytes. */
function scratchOf({ features, variant }: MachineOptions): Allowance {
  if (features === 'all') return { share: 0.03, bytes: 160 * 1024 };
  return variant === 'hybrid' ? PORTABLE_SCRATCH.long : PORTABLE_SCRATCH;
}

/** A check, bound to what it checks. */
interface Runnable {
  readonly name: string;
  /** Why it can't be run here, if so. */
  readonly missing: string | undefined;
  readonly run: () => Promise<void>;
}

async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      ...MACHINE_FLAGS,
      only: { type: 'string', default: '' },
      thorough: { type: 'boolean', default: false },
      huge: { type: 'boolean', default: false },
    },
  });
  const { only, thorough, huge, variant } = values;
  const machine = await GpuMachine.find(machineOf(values, false));
  const seed = runSeed();
  const effort = thorough ? 'all' : 'most';
  const create = () => webgpu({ requestAdapter: () => machine.adapter() });
  const backend = create();
  // With no more than was requested: with 'none', WebGPU's default limits.
  const device = await (await machine.adapter()).requestDevice();
  const description = describeGpu(device);
  const subject = {
    device,
    create: RadixSorter.create,
    tile: TILE,
    scratch: scratchOf(machine.options),
    // As much as short bindings hold.
    maxLength: MAX_LENGTH[`${description.software || variant === 'chunks'}`],
    bindingBytes: tuningOf(device).maxBound,
    thorough,
  };
  // Each check has its own seed, as in the tests: alone it runs as among the others.
  const runnables: Runnable[] = [
    ...CHECKS.map((one, i) => ({
      name: `webgpu(): ${one.name}`,
      missing: one.missing,
      run: () =>
        runCheck(
          one,
          { backend, create, random: new Random(seed + i), lengths: LENGTHS, effort },
          seed,
        ),
    })),
    ...GPU_CHECKS.map((one, i) => ({
      name: `RadixSorter: ${one.name}`,
      missing: one.missing,
      run: () => runCheck(one, { ...subject, random: new Random(seed + i) }, seed),
    })),
  ];
  const inBinding = 'twice as many records as a binding holds';
  for (const kind of huge ? HUGE : []) {
    const run = () => checkHuge(device, kind);
    runnables.push({ name: `RadixSorter: ${inBinding}: ${kind.name}`, missing: undefined, run });
  }
  const chosen = runnables.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new Error(`--only '${only}' is in no name of a check`);

  console.log(`${formatGpu(description)}\nSeed:     ${seed} (KEYSWEEP_SEED repeats it)\n`);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const one of chosen) counts[await runOne(one)]++;
  await backend.close();
  device.destroy();
  const { passed, failed, skipped } = counts;
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return failed === 0;
}

async function runOne({ name, missing, run }: Runnable): Promise<'passed' | 'failed' | 'skipped'> {
  if (missing !== undefined) {
    console.log(`skipped  ${name}: ${missing}`);
    return 'skipped';
  }
  const start = performance.now();
  try {
    await run();
  } catch (error) {
    console.log(`FAILED   ${name}\n         ${(error as Error).message}`);
    return 'failed';
  }
  console.log(`passed   ${name} (${Math.round(performance.now() - start)} ms)`);
  return 'passed';
}

export const command: Command = { help, run };
