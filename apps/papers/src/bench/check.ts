/** Checks sorts of the papers, and RadixSorter, on all kinds of keys. Nothing is timed. */

import { DeviceCheck } from '@keysweep/bench/gpu/check/device-check.js';
import { recorded } from '@keysweep/bench/gpu/device/buffers.js';
import { DeviceRecords } from '@keysweep/bench/gpu/inputs/device-records.js';
import { DISTRIBUTIONS } from '@keysweep/bench/gpu/inputs/distributions.js';
import { DISTRIBUTIONS as ALL_DISTRIBUTIONS, type Random } from '@keysweep/conformance/data';
import { checkOf, runCheck } from '@keysweep/conformance/gpu';
import { ALGORITHMS, type Algorithm, TILE } from '../sorts/index.js';
import { kindsOf, maxOf, type PaperDefinition } from './definitions.js';
import { fits, prepare } from './measure.js';
import { subjectOf } from './subject.js';

/** What was found of a sort at one length. */
export interface PaperCheck extends PaperDefinition {
  /** Who looked at the result: the conformance suite, on the host, or a shader. */
  readonly by: 'suite' | 'gpu';
  /** The kinds of keys that were sorted, once each. */
  readonly distributions: readonly string[];
  readonly verified: boolean;
  /** What was wrong, by kind of keys. */
  readonly faults: Readonly<Record<string, string>>;
}

/** One key; around a tile, and several; and as many as are read back quickly. */
const SUITE_LENGTHS = [1, TILE - 1, TILE + 1, 5 * TILE - 3, 2 ** 16];

/** One tile; the limits of the quadratic sorts; odd numbers of keys; and the longest. */
export const CHECKED_LENGTHS: readonly number[] = [
  2 ** 10,
  2 ** 14,
  2 ** 16,
  2 ** 18 + 1,
  2 ** 20 - 3,
  2 ** 22,
];

/** Random keys, and those at which sorts go wrong or slow: all kinds that there are. */
export async function checkPapers(
  device: GPUDevice,
  sorts: readonly string[],
  lengths: readonly number[],
  random: Random,
  add: (check: PaperCheck) => void,
): Promise<void> {
  const longest = Math.max(...lengths);
  for (const algorithm of ALGORITHMS.filter(({ name }) => sorts.includes(name))) {
    const most = Math.min(longest, algorithm.maxLength);
    for (const operation of kindsOf(algorithm.name)) {
      for (const length of SUITE_LENGTHS.filter((length) => length <= most)) {
        add(await checkBySuite(device, algorithm, operation, length, random));
      }
    }
  }
  for (const length of lengths) {
    for (const operation of ['sort', 'sortPairs'] as const) {
      const definitions = sorts
        .filter((sort) => length <= maxOf(sort) && kindsOf(sort).includes(operation))
        .map((sort): PaperDefinition => ({ sort, operation, length }))
        .filter((definition) => fits(device, definition));
      for (const check of await checkAll(device, definitions, random)) add(check);
    }
  }
}

/** The conformance suite's check of a sort, of all its kinds of keys. */
async function checkBySuite(
  device: GPUDevice,
  algorithm: Algorithm,
  operation: PaperDefinition['operation'],
  length: number,
  random: Random,
): Promise<PaperCheck> {
  const hasValues = operation === 'sortPairs';
  const subject = subjectOf(device, algorithm, random);
  const faults: Record<string, string> = {};
  for (const distribution of ALL_DISTRIBUTIONS) {
    const valueType = hasValues ? 'u32' : undefined;
    const sort = { keyType: 'u32', valueType, order: 'ascending', count: length } as const;
    try {
      await runCheck(checkOf({ ...sort, distribution }), subject, random.seed);
    } catch (error) {
      faults[distribution.name] = error instanceof Error ? error.message : String(error);
    }
  }
  const distributions = ALL_DISTRIBUTIONS.map(({ name }) => name);
  const verified = Object.keys(faults).length === 0;
  return { sort: algorithm.name, operation, length, by: 'suite', distributions, verified, faults };
}

/** Sorts of one operation and length, in turns on the same buffers. */
async function checkAll(
  device: GPUDevice,
  definitions: readonly PaperDefinition[],
  random: Random,
): Promise<PaperCheck[]> {
  const [first] = definitions;
  if (first === undefined) return [];
  const { operation, length } = first;
  const shape = { keyType: 'u32', hasValues: operation === 'sortPairs', length } as const;
  const records = new DeviceRecords(device, shape, DISTRIBUTIONS, random);
  const { from: before, to: after } = records.keys;
  const sorted = { keyType: 'u32', length, before, after, values: records.args.values } as const;
  const checks: PaperCheck[] = [];
  for (const definition of definitions) {
    const checker = new DeviceCheck(device, sorted, DISTRIBUTIONS.length);
    const { encode, destroy } = await prepare(device, definition, records);
    for (const [kind, distribution] of DISTRIBUTIONS.entries()) {
      const refresh = (encoder: GPUCommandEncoder): void => records.refresh(distribution, encoder);
      const copy = (encoder: GPUCommandEncoder): void => records.copy(encoder);
      const check = (encoder: GPUCommandEncoder): void => checker.check(kind, encoder);
      device.queue.submit([recorded(device, refresh, copy, encode, check)]);
    }
    const found = await checker.faults();
    checker.destroy();
    destroy();
    const faults: Record<string, string> = {};
    for (const [kind, distribution] of DISTRIBUTIONS.entries()) {
      const fault = found[kind];
      if (fault !== undefined) faults[distribution] = fault;
    }
    const verified = Object.keys(faults).length === 0;
    checks.push({ ...definition, by: 'gpu', distributions: DISTRIBUTIONS, verified, faults });
  }
  records.destroy();
  return checks;
}
