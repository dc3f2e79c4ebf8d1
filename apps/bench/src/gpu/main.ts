/** `npm run bundle:gpu` makes one file of this, for machines with a GPU and little else. */

import { parseArgs } from 'node:util';
import { type BenchOptions, bench } from './bench.js';
import { check } from './check.js';
import { KEY_TYPES, type MeasuredType } from './device-records.js';
import { dropIn } from './drop-in.js';
import { type Features, GpuMachine } from './machine.js';
import { stress } from './stress.js';
import type { Variant } from './variant.js';

const HELP = `Checks and measures keysweep on this machine's GPU. Needs the npm package webgpu.

node keysweep-gpu.mjs check   every check of the webgpu backend and of RadixSorter
  --only TEXT        only the checks whose name has TEXT in it
  --thorough         every combination instead of random ones
node keysweep-gpu.mjs bench   RadixSorter on records in GPU buffers
  --sizes 16,20,24   powers of two (16,20,24,26)
  --types u32,f32    of u32, f32, u64 (all)
  --json FILE        writes the samples
  --kernels          kernel by kernel, next to the time that moving its bytes takes;
                     asks for the feature timestamp-query
node keysweep-gpu.mjs sort    ordinary arrays, in turns with the built-in sort
  --sizes, --types, --json as above (20,22,24,26; u32,f32)
node keysweep-gpu.mjs stress  thousands of sorts of random sizes, each verified
  --sorts N          (10000)
  --longest N        most records of a sort (262144)
All of them:
  --features all     asks for all features and limits of the adapter (none: larger buffers at most)
  --variant chained  chained scans on any device with subgroups (auto: where they pay); stalled: such in which
                     a tile keeps its counts to itself
  --software FOLDER  the SwiftShader of the Chromium in FOLDER
`;

const GPU_OPTIONS = {
  features: { type: 'string', default: 'none' },
  variant: { type: 'string', default: 'auto' },
  software: { type: 'string' },
} as const;

const MEASURING = {
  ...GPU_OPTIONS,
  sizes: { type: 'string' },
  types: { type: 'string' },
  json: { type: 'string' },
} as const;

/** Runs a command; resolves to whether all went right. Rejects with an Error for a person. */
const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<boolean>>> = {
  async check(args) {
    const options = {
      ...GPU_OPTIONS,
      only: { type: 'string', default: '' },
      thorough: { type: 'boolean', default: false },
    } as const;
    const { values } = parseArgs({ args, options });
    return check(await find(values, false), values);
  },
  async bench(args) {
    const options = { ...MEASURING, kernels: { type: 'boolean', default: false } } as const;
    const { values } = parseArgs({ args, options });
    const measured = measuredOf({ sizes: '16,20,24,26', types: 'u32,f32,u64', ...values });
    return bench(await find(values, values.kernels), measured);
  },
  async sort(args) {
    const { values } = parseArgs({ args, options: MEASURING });
    const measured = measuredOf({ sizes: '20,22,24,26', types: 'u32,f32', ...values });
    return dropIn(await find(values, false), measured);
  },
  async stress(args) {
    const options = {
      ...GPU_OPTIONS,
      sorts: { type: 'string', default: '10000' },
      longest: { type: 'string', default: String(2 ** 18) },
    } as const;
    const { values } = parseArgs({ args, options });
    const [sorts, longest] = [values.sorts, values.longest].map(Number);
    if (!(Number.isInteger(sorts) && Number.isInteger(longest))) {
      throw new Error('--sorts and --longest take whole numbers');
    }
    return stress(await find(values, false), {
      sorts: sorts as number,
      longest: longest as number,
    });
  },
  async '--help'() {
    console.log(HELP);
    return true;
  },
};

function find(
  given: { features: string; variant: string; software?: string },
  timestamps: boolean,
): Promise<GpuMachine> {
  const known = ['none', 'all'] as const satisfies Features[];
  const features = oneOf('--features', given.features, known);
  const variants = ['auto', 'chained', 'stalled'] as const satisfies Variant[];
  const variant = oneOf('--variant', given.variant, variants);
  return GpuMachine.find({ features, variant, software: given.software, timestamps });
}

function measuredOf(given: { sizes: string; types: string; json?: string }): BenchOptions {
  const types = Object.keys(KEY_TYPES) as MeasuredType[];
  return {
    lengths: given.sizes.split(',').map(lengthOf),
    keyTypes: given.types.split(',').map((type) => oneOf('--types', type, types)),
    json: given.json,
  };
}

function lengthOf(size: string): number {
  const exponent = Number(size);
  if (/^\d+$/.test(size) && exponent >= 1 && exponent <= 30) return 2 ** exponent;
  throw new Error(`--sizes takes powers of two from 1 to 30, such as 16,20: got '${size}'`);
}

function oneOf<T extends string>(flag: string, given: string, known: readonly T[]): T {
  if ((known as readonly string[]).includes(given)) return given as T;
  throw new Error(`${flag} takes ${known.join(', ')}: got '${given}'`);
}

try {
  const [name = '--help', ...args] = process.argv.slice(2);
  const command = COMMANDS[name];
  if (command === undefined) throw new Error(`there is no command '${name}'\n\n${HELP}`);
  if (!(await command(args))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
