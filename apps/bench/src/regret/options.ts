/** What the regret programs take on the command line. All throw an Error for a person. */

import type { parseArgs } from 'node:util';
import { KEY_TYPES, OPERATIONS } from './definitions.js';
import type { RegretOptions } from './measure.js';

export const REGRET_HELP = `  --shortest N, --longest N   of the lengths 1e2 to 2^26 those from N to N
  --types u8,u32,f32,f64      some of these
  --operations sort,sortPairs,argsort
  --samples N                 of each backend (5)
  --seed N                    the same inputs again
  --allow-software            counts software adapters as GPUs
  --json FILE                 writes the samples`;

/** Flags, as `parseArgs` takes them. */
export const REGRET_FLAGS = {
  shortest: { type: 'string', default: '100' },
  longest: { type: 'string', default: '67108864' },
  types: { type: 'string', default: 'u8,u32,f32,f64' },
  operations: { type: 'string', default: 'sort,sortPairs,argsort' },
  samples: { type: 'string', default: '5' },
  seed: { type: 'string' },
  'allow-software': { type: 'boolean', default: false },
  json: { type: 'string' },
} as const;

export type RegretFlags = ReturnType<typeof parseArgs<{ options: typeof REGRET_FLAGS }>>['values'];

export interface RegretTold extends RegretOptions {
  readonly json: string | undefined;
}

export function regretOptions(values: RegretFlags): RegretTold {
  return {
    shortest: numberOf('--shortest', values.shortest),
    longest: numberOf('--longest', values.longest),
    keyTypes: someOf('--types', values.types, KEY_TYPES),
    operations: someOf('--operations', values.operations, OPERATIONS),
    samples: numberOf('--samples', values.samples),
    seed: values.seed === undefined ? Date.now() % 2 ** 31 : numberOf('--seed', values.seed),
    allowSoftware: values['allow-software'],
    json: values.json,
  };
}

function numberOf(flag: string, given: string): number {
  const number = Number(given);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new Error(`${flag} takes a whole number above 0, such as 1000 or 1e6: got '${given}'`);
}

const someOf = <T extends string>(flag: string, given: string, known: readonly T[]): T[] =>
  given.split(',').map((one) => {
    if ((known as readonly string[]).includes(one)) return one as T;
    throw new Error(`${flag} takes ${known.join(', ')}: got '${one}'`);
  });
