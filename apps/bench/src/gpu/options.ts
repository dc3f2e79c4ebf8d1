/** What commands take on the command line, checked. All throw an Error for a person. */

import { parseArgs } from 'node:util';
import type { BenchOptions } from '../commands/gpu.js';
import type { CheckOptions } from '../commands/gpu-check.js';
import type { DropInOptions } from '../commands/gpu-sort.js';
import type { StressOptions } from '../commands/gpu-stress.js';
import { TUNED_LENGTHS, type TuneOptions } from '../commands/gpu-tune.js';
import { REGRET_FLAGS, type RegretTold, regretOptions } from '../regret/options.js';
import type { Features, MachineOptions } from './device/machine.js';
import type { Variant } from './device/variant.js';
import { combined, selectedOf } from './inputs/definitions.js';
import { DISTRIBUTIONS, KEY_TYPES, type MeasuredType } from './inputs/distributions.js';
import { readReference } from './reference.js';

/** What a command is told, and the machine that it wants. */
export interface Told<Options> {
  readonly machine: MachineOptions;
  readonly options: Options;
}

const MACHINE = {
  features: { type: 'string', default: 'none' },
  variant: { type: 'string', default: 'auto' },
  software: { type: 'string' },
} as const;

const TYPES = Object.keys(KEY_TYPES) as MeasuredType[];

export function checkOptions(args: string[]): Told<CheckOptions> {
  const { values } = parseArgs({
    args,
    options: {
      ...MACHINE,
      only: { type: 'string', default: '' },
      thorough: { type: 'boolean', default: false },
    },
  });
  return { machine: machineOf(values, false), options: values };
}

export function dropInOptions(args: string[]): Told<DropInOptions> {
  const { values } = parseArgs({
    args,
    options: {
      ...MACHINE,
      sizes: { type: 'string', default: '20,22,24,26' },
      types: { type: 'string', default: 'u32,f32' },
      json: { type: 'string' },
    },
  });
  const options = {
    lengths: lengthsOf(values.sizes),
    keyTypes: someOf('--types', values.types, TYPES),
    json: values.json,
  };
  return { machine: machineOf(values, false), options };
}

export function benchOptions(args: string[]): Told<BenchOptions> {
  const { values } = parseArgs({
    args,
    options: {
      ...MACHINE,
      set: { type: 'string' },
      sizes: { type: 'string' },
      types: { type: 'string' },
      distributions: { type: 'string' },
      clock: { type: 'string', default: 'gpu' },
      kernels: { type: 'boolean', default: false },
      reference: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const { set, sizes, types, distributions, kernels, reference, json } = values;
  const clock = oneOf('--clock', values.clock, ['gpu', 'host'] as const);
  if (set !== undefined) oneOf('--set', set, ['full']);
  const definitions = (set === undefined ? combined : selectedOf)({
    lengths: sizes === undefined ? undefined : lengthsOf(sizes),
    keyTypes: types === undefined ? undefined : someOf('--types', types, TYPES),
    distributions:
      distributions === undefined
        ? undefined
        : someOf('--distributions', distributions, DISTRIBUTIONS),
  });
  if (definitions.length === 0) throw new Error('--set full has nothing of what was selected');
  return {
    machine: machineOf(values, kernels || clock === 'gpu'),
    options: {
      definitions,
      clock,
      kernels,
      reference: reference === undefined ? [] : readReference(reference),
      json,
    },
  };
}

export function stressOptions(args: string[]): Told<StressOptions> {
  const { values } = parseArgs({
    args,
    options: {
      ...MACHINE,
      sorts: { type: 'string', default: '10000' },
      longest: { type: 'string', default: String(2 ** 18) },
    },
  });
  const options = {
    sorts: wholeNumber('--sorts', values.sorts),
    longest: wholeNumber('--longest', values.longest),
  };
  return { machine: machineOf(values, false), options };
}

export function tuneOptions(args: string[]): Told<TuneOptions> {
  const { values } = parseArgs({
    args,
    options: { ...MACHINE, sizes: { type: 'string' }, json: { type: 'string' } },
  });
  const { sizes, json } = values;
  const lengths = sizes === undefined ? TUNED_LENGTHS : lengthsOf(sizes);
  return { machine: machineOf({ ...values, features: 'all' }, true), options: { lengths, json } };
}

export function regretTold(args: string[]): Told<RegretTold> {
  const { values } = parseArgs({ args, options: { ...MACHINE, ...REGRET_FLAGS } });
  return { machine: machineOf(values, false), options: regretOptions(values) };
}

function machineOf(
  given: { features: string; variant: string; software?: string | undefined },
  timestamps: boolean,
): MachineOptions {
  const known = ['none', 'all'] as const satisfies Features[];
  const features = oneOf('--features', given.features, known);
  const variants = ['auto', 'chained', 'stalled'] as const satisfies Variant[];
  const variant = oneOf('--variant', given.variant, variants);
  return { features, variant, software: given.software, timestamps };
}

function wholeNumber(flag: string, given: string): number {
  if (/^[1-9]\d*$/.test(given)) return Number(given);
  throw new Error(`${flag} takes a whole number above 0: got '${given}'`);
}

const lengthsOf = (sizes: string): number[] => sizes.split(',').map(lengthOf);

function lengthOf(size: string): number {
  const exponent = Number(size);
  if (/^\d+$/.test(size) && exponent >= 1 && exponent <= 30) return 2 ** exponent;
  throw new Error(`--sizes takes powers of two from 1 to 30, such as 16,20: got '${size}'`);
}

const someOf = <T extends string>(flag: string, given: string, known: readonly T[]): T[] =>
  given.split(',').map((one) => oneOf(flag, one, known));

function oneOf<T extends string>(flag: string, given: string, known: readonly T[]): T {
  if ((known as readonly string[]).includes(given)) return given as T;
  throw new Error(`${flag} takes ${known.join(', ')}: got '${given}'`);
}
