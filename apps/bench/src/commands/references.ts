/**
 * `references`: keysweep's CPU backend beside native sorts and npm packages, on the same machine
 * and data.
 */

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Random } from '@keysweep/conformance/data';
import { type Definition, nameOf } from '../inputs/definitions.js';
import { matching, optionalNumber, seedOf } from '../program/options.js';
import { addResult, newRecord } from '../record/record.js';
import { compareSorts, type Implementation } from '../references/comparison.js';
import { DEFINITIONS, LARGE, SCALING, samplesOf, warmUpsOf } from '../references/definitions.js';
import {
  builtinImplementation,
  keysweepImplementation,
  sharedImplementation,
} from '../references/in-process.js';
import { NativeProgram, nativeImplementations, startNative } from '../references/native.js';
import { loadPeers } from '../references/peers.js';
import { formatTimings, type RecordedTiming, recordedTimings } from '../references/timings.js';

export const help = `Measures keysweep's CPU backend beside std::sort, vqsort, tbb::parallel_sort,
a radix sort in C++ and npm packages, which 'npm run build:references' gets. What is not there is
left out. Takes some two minutes.

  --only PATTERN  only what has PATTERN in its name, such as "sort u32" or 1e6
  --large         64 million keys as well: 2 GB, and a minute more
  --threads N     N threads for those that take several, instead of all
  --scaling       keysweep, on ordinary arrays and on shared memory, and the radix sort in C++ by 1,
                  2, 4 and so on threads instead; takes some four minutes
  --samples N     N samples of each, instead of 3 to 31
  --seed N        the same inputs again
  --json FILE     writes the samples`;

interface Options {
  readonly definitions: readonly Definition[];
  readonly threads: number;
  /** Whether a few sorts are measured by several numbers of threads. */
  readonly scaling: boolean;
  /** undefined: as many as each definition's length allows. */
  readonly samples: number | undefined;
  readonly seed: number;
  /** Where to write the samples. */
  readonly json: string | undefined;
}

/** @throws Error for what is no option, or has no such value. */
function optionsOf(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      large: { type: 'boolean', default: false },
      threads: { type: 'string' },
      scaling: { type: 'boolean', default: false },
      samples: { type: 'string' },
      seed: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const { scaling } = values;
  const definitions = [...DEFINITIONS, ...(scaling ? SCALING : []), ...(values.large ? LARGE : [])];
  return {
    definitions: matching(definitions, nameOf, values.only),
    threads: optionalNumber('--threads', values.threads, 1) ?? availableParallelism(),
    scaling,
    samples: optionalNumber('--samples', values.samples, 1),
    seed: seedOf(values.seed),
    json: values.json,
  };
}

/** All that are compared, keysweep with all threads first. */
interface Compared {
  readonly implementations: readonly Implementation[];
  readonly versions: Readonly<Record<string, string>>;
  /** Those that are missing, and why. */
  readonly absent: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** By 1, 2, 4 and so on threads, and by `most`, those with `most` first. */
async function gatherScaling(most: number): Promise<Compared> {
  const counts: number[] = [];
  for (let threads = 1; threads < most; threads *= 2) counts.unshift(threads);
  counts.unshift(most);
  const implementations: Implementation[] = [];
  const programs: NativeProgram[] = [];
  let absent: Compared['absent'] = {};
  for (const threads of counts) {
    implementations.push(await keysweepImplementation(threads));
    implementations.push(await sharedImplementation(threads));
    // A program for each: a new number of threads would have to start them anew each time.
    const native = await startNative();
    if (native instanceof NativeProgram) {
      programs.push(native);
      implementations.push(
        ...nativeImplementations(native, threads).filter(({ name }) => name === 'C++ radix'),
      );
    } else absent = { native };
  }
  return {
    implementations,
    versions: { ...programs[0]?.versions },
    absent,
    async close() {
      for (const program of programs) await program.close();
      for (const implementation of implementations) await implementation.close?.();
    },
  };
}

async function gather(threads: number): Promise<Compared> {
  const ours: Implementation[] = [];
  for (const some of new Set([threads, 1])) ours.push(await keysweepImplementation(some));
  const native = await startNative();
  const program = native instanceof NativeProgram ? native : undefined;
  const peers = await loadPeers(threads);
  return {
    implementations: [
      ...ours,
      builtinImplementation(),
      ...(program ? nativeImplementations(program, threads) : []),
      ...peers.implementations,
    ],
    versions: { ...program?.versions, ...peers.versions },
    absent: { ...(typeof native === 'string' ? { native } : {}), ...peers.absent },
    async close() {
      await program?.close();
      for (const implementation of ours) await implementation.close?.();
    },
  };
}

export async function run(args: string[]): Promise<boolean> {
  const { definitions, threads, scaling, samples, seed, json } = optionsOf(args);
  const random = new Random(seed);
  const { implementations, versions, absent, close } = await (scaling
    ? gatherScaling(threads)
    : gather(threads));
  const record = newRecord<RecordedTiming, Pick<Compared, 'versions' | 'absent'>>(seed, {
    versions,
    absent,
  });
  const { cpu, cores, node } = record.machine;
  console.log(`${cpu}, ${cores} cores, Node.js ${node}; seed ${seed}.`);
  console.log(`With ${entriesOf(versions) || 'nothing installed'}.`);
  for (const [name, reason] of Object.entries(absent)) console.log(`Without ${name}: ${reason}`);
  console.log(`Medians of one call. The ratio is the time over that of keysweep with ${threads}
threads. Native sorts work in place, in a process of their own: 'copies' is what keys took there and
back, not in the time. The others' times are of the whole call.`);
  try {
    for (const definition of definitions) {
      console.log(`\n${nameOf(definition)}\n`);
      const counts = {
        samples: samples ?? samplesOf(definition),
        warmUps: warmUpsOf(definition),
      };
      const timings = await compareSorts(implementations, definition, counts, random);
      for (const timing of recordedTimings(definition, timings)) addResult(record, timing, json);
      console.log(formatTimings(definition, timings));
    }
  } finally {
    await close();
  }
  return record.results.every(
    ({ implementation, verified }) => !implementation.startsWith('keysweep') || verified,
  );
}

const entriesOf = (versions: Readonly<Record<string, string>>): string =>
  Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
