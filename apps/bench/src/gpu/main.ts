/** `npm run bundle:gpu` makes one file of this, for machines with a GPU and little else. */

import { bench } from '../commands/gpu.js';
import { check } from '../commands/gpu-check.js';
import { dropIn } from '../commands/gpu-sort.js';
import { stress } from '../commands/gpu-stress.js';
import { tune } from '../commands/gpu-tune.js';
import { REGRET_HELP } from '../regret/options.js';
import { GpuMachine } from './device/machine.js';
import {
  benchOptions,
  checkOptions,
  dropInOptions,
  regretTold,
  stressOptions,
  tuneOptions,
} from './options.js';
import { regret } from './regret.js';

const HELP = `Checks and measures keysweep on this machine's GPU. Needs the npm package webgpu.

node keysweep-gpu.mjs check   every check of the webgpu backend and of RadixSorter
  --only TEXT        only the checks whose name has TEXT in it
  --thorough         every combination instead of random ones
node keysweep-gpu.mjs bench   RadixSorter on records in GPU buffers
  --set full         all that is published; what follows selects from it
  --sizes 16,20,24   powers of two (16,20,24,26)
  --types u32,f32    of u32, f32, u64 (all)
  --distributions random,few
                     of random, entropy-0.811, entropy-0.544, entropy-0.337, entropy-0.201, entropy-0,
                     sorted, reversed, few (16 keys), equal (random)
  --json FILE        writes the samples
  --kernels          kernel by kernel, next to the time that moving its bytes takes
  --reference FILE   compares with what another program printed on this GPU: shared/gpu-machine/cub.cu
  --clock host       without timestamps (gpu, where the adapter has timestamp-query, which is asked for)
node keysweep-gpu.mjs sort    ordinary arrays, in turns with the built-in sort
  --sizes, --types, --json as above (20,22,24,26; u32,f32)
node keysweep-gpu.mjs stress  thousands of sorts of random sizes, each verified
  --sorts N          (10000)
  --longest N        most records of a sort (262144)
node keysweep-gpu.mjs tune    chained scans of other shapes, for the table in packages/webgpu/src/sorter/tuning.ts
  --sizes, --json as above (16,18,20,22,24,26)
node keysweep-gpu.mjs regret  how many times as long what 'auto' chooses takes as the best backend
${REGRET_HELP}
All of them:
  --features all     asks for all features and limits of the adapter (none: larger buffers at most)
  --variant chained  chained scans on any device with subgroups (auto: where they pay); stalled: such in which
                     a tile keeps its counts to itself
  --software FOLDER  the SwiftShader of the Chromium in FOLDER
`;

/** Runs a command; resolves to whether all went right. Rejects with an Error for a person. */
const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<boolean>>> = {
  async check(args) {
    const { machine, options } = checkOptions(args);
    return check(await GpuMachine.find(machine), options);
  },
  async bench(args) {
    const { machine, options } = benchOptions(args);
    return bench(await GpuMachine.find(machine), options);
  },
  async sort(args) {
    const { machine, options } = dropInOptions(args);
    return dropIn(await GpuMachine.find(machine), options);
  },
  async stress(args) {
    const { machine, options } = stressOptions(args);
    return stress(await GpuMachine.find(machine), options);
  },
  async tune(args) {
    const { machine, options } = tuneOptions(args);
    return tune(await GpuMachine.find(machine), options);
  },
  async regret(args) {
    const { machine, options } = regretTold(args);
    return regret(await GpuMachine.find(machine), options);
  },
  async '--help'() {
    console.log(HELP);
    return true;
  },
};

try {
  const [name = '--help', ...args] = process.argv.slice(2);
  const command = COMMANDS[name];
  if (command === undefined) throw new Error(`there is no command '${name}'\n\n${HELP}`);
  if (!(await command(args))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
