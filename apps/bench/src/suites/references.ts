/**
 * `references`: keysweep's CPU backend beside native sorts and npm packages, on the same machine
 * and data.
 */

import { availableParallelism } from 'node:os';
import { suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';
import { optionalNumber } from '../program/options.js';
import { COLUMNS, comparisonOf, type Implementation } from '../references/comparison.js';
import { DEFINITIONS, LARGE, SCALING } from '../references/definitions.js';
import {
  builtinImplementation,
  keysweepImplementation,
  sharedImplementation,
} from '../references/in-process.js';
import { NativeProgram, nativeImplementations, startNative } from '../references/native.js';
import { loadPeers } from '../references/peers.js';

export const command: Command = suite({
  help: `Measures keysweep's CPU backend beside std::sort, vqsort, tbb::parallel_sort, a radix sort
in C++ and npm packages, which 'npm run build:references' gets. What is not there is left out. Takes
some two minutes.

  --large         64 million keys as well: 2 GB, and a minute more
  --threads N     N threads for those that take several, instead of all
  --scaling       keysweep, on ordinary arrays and on shared memory, and the radix sort in C++ by 1,
                  2, 4 and so on threads instead; takes some four minutes`,
  flags: { large: false, scaling: false, threads: undefined as string | undefined },
  async open({ large, scaling, threads: given }, { random }) {
    const threads = optionalNumber('--threads', given, 1) ?? availableParallelism();
    const definitions = [...DEFINITIONS, ...(scaling ? SCALING : []), ...(large ? LARGE : [])];
    const gathered = await (scaling ? gatherScaling(threads) : gather(threads));
    const { implementations, versions, absent, close } = gathered;
    const reasons = Object.entries(absent).map(([name, why]) => `Without ${name}: ${why}`);
    return {
      about: { versions, absent },
      intro: [
        `With ${entriesOf(versions) || 'nothing installed'}.`,
        ...reasons,
        `Native sorts work in place, in a process of their own: 'copies' is what keys took there and
back, not in the time. The others' times are of the whole call.`,
      ].join('\n'),
      columns: COLUMNS,
      cases: definitions.map((definition) => comparisonOf(implementations, definition, random)),
      close,
    };
  },
});

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

const entriesOf = (versions: Readonly<Record<string, string>>): string =>
  Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
