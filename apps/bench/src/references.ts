/**
 * `npm run bench:references`: keysweep's CPU backend beside native sorts and other packages, on the same
 * machine and data.
 */

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Random } from '@keysweep/conformance/data';
import { type Definition, nameOf } from './definitions.js';
import { matching, wholeNumber } from './options.js';
import { describeMachine, packageVersion, writeRecord } from './record.js';
import { type Contender, compete } from './references/contest.js';
import { DEFINITIONS, LARGE, samplesOf, warmUpsOf } from './references/definitions.js';
import { builtinContender, keysweepContender } from './references/in-process.js';
import { NATIVE, NativeProgram, nativeContenders } from './references/native.js';
import { loadPeers } from './references/peers.js';
import {
  formatStandings,
  type RecordedStanding,
  type ReferenceRecord,
  recorded,
} from './references/report.js';

const HELP = `Measures keysweep's CPU backend beside std::sort, vqsort, tbb::parallel_sort, a radix sort in C++ and npm
packages, which 'npm run build:references' gets; what is not there is left out.

  --only PATTERN  only what has PATTERN in its name, such as "sort u32" or 1e6
  --large         64 million keys as well
  --threads N     N threads for those that take several, instead of all
  --samples N     N samples of each, instead of 3 to 31
  --seed N        the same inputs again
  --record        write the samples to apps/bench/records/
  --help          this text
`;

interface Options {
  readonly definitions: readonly Definition[];
  readonly threads: number;
  /** undefined: as many as each definition's length allows. */
  readonly samples: number | undefined;
  readonly seed: number;
  readonly record: boolean;
}

/** @throws Error for a person when the command line makes no sense. */
function parseOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      large: { type: 'boolean', default: false },
      threads: { type: 'string' },
      samples: { type: 'string' },
      seed: { type: 'string' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const definitions = values.large ? [...DEFINITIONS, ...LARGE] : DEFINITIONS;
  return {
    definitions: matching(definitions, nameOf, values.only),
    threads: wholeNumber('--threads', values.threads, 1) ?? availableParallelism(),
    samples: wholeNumber('--samples', values.samples, 1),
    seed: wholeNumber('--seed', values.seed, 0) ?? Date.now() % 2 ** 31,
    record: values.record,
  };
}

/** Who takes part, keysweep with all threads first. */
interface Field {
  readonly contenders: readonly Contender[];
  readonly versions: Readonly<Record<string, string>>;
  /** Who does not, and why. */
  readonly absent: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

async function gather(threads: number): Promise<Field> {
  const ours: Contender[] = [];
  for (const some of new Set([threads, 1])) ours.push(await keysweepContender(some));
  const native = await startNative();
  const program = native instanceof NativeProgram ? native : undefined;
  const peers = await loadPeers(threads);
  return {
    contenders: [
      ...ours,
      builtinContender(),
      ...(program ? nativeContenders(program, threads) : []),
      ...peers.contenders,
    ],
    versions: { ...program?.versions, ...peers.versions },
    absent: { ...(typeof native === 'string' ? { native } : {}), ...peers.absent },
    async close() {
      await program?.close();
      for (const contender of ours) await contender.close?.();
    },
  };
}

/** The program, or why there is none. */
async function startNative(): Promise<NativeProgram | string> {
  if (!existsSync(NATIVE)) return 'not built: npm run build:references';
  try {
    return await NativeProgram.start();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns whether every result of keysweep was right. */
async function runComparison(options: Options): Promise<boolean> {
  const { definitions, threads, samples, seed, record } = options;
  const random = new Random(seed);
  const machine = describeMachine();
  const results: RecordedStanding[] = [];
  console.log(`${machine.cpu}, ${machine.cores} cores, Node.js ${machine.node}; seed ${seed}.`);
  const { contenders, versions, absent, close } = await gather(threads);
  console.log(`With ${entriesOf(versions) || 'nothing installed'}.`);
  for (const [name, reason] of Object.entries(absent)) console.log(`Without ${name}: ${reason}`);
  console.log(`Medians of one call. Above 1, the ratio says how many times as fast keysweep with ${threads} threads is.
Native sorts work in place, in a process of their own: 'copies' is what keys took there and back, not in the
time. The others' times are of the whole call.`);
  try {
    for (const definition of definitions) {
      console.log(`\n${nameOf(definition)}\n`);
      const counts = {
        samples: samples ?? samplesOf(definition),
        warmUps: warmUpsOf(definition),
      };
      const standings = await compete(contenders, definition, counts, random);
      results.push(...recorded(definition, standings));
      console.log(formatStandings(definition, standings));
    }
  } finally {
    await close();
  }
  if (record) {
    const date = new Date().toISOString();
    const version = packageVersion();
    const whole: ReferenceRecord = { date, version, seed, machine, versions, absent, results };
    console.log(`\nRecorded in ${writeRecord(whole, '-references')}`);
  }
  return results.every(({ contender, verified }) => contender !== 'keysweep' || verified);
}

const entriesOf = (versions: Readonly<Record<string, string>>): string =>
  Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') console.log(HELP);
  else if (!(await runComparison(options))) {
    console.error('\nNot every result of keysweep was right.');
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
