/** Rates of RadixSorter, in billions of records a second, out of a record of `gpu`. */

import { median } from '@keysweep/conformance/statistics';
import { DISTRIBUTIONS } from '../gpu/inputs/distributions.js';
import type { GpuRecord, GpuResult } from '../gpu/record.js';
import { type ReferenceTime, referenceFor } from '../gpu/reference.js';
import { formatLength } from './markdown.js';
import type { DistributionPoint, LinePoint } from './plots.js';

/** What is sorted, as documents call it. */
export const KINDS = ['32-bit keys', '32-bit pairs', '64-bit keys', '64-bit pairs'] as const;
export type Kind = (typeof KINDS)[number];

/** The kind of a result; undefined for floats, which are in no table. */
export function kindOf({
  operation,
  keyType,
}: {
  operation: string;
  keyType: string;
}): Kind | undefined {
  if (keyType === 'u32') return operation === 'sort' ? '32-bit keys' : '32-bit pairs';
  if (keyType !== 'u64') return undefined;
  return operation === 'sort' ? '64-bit keys' : '64-bit pairs';
}

export const OURS = 'keysweep';

export const rateOf = ({ length, ours }: Pick<GpuResult, 'length' | 'ours'>): number =>
  length / median(ours) / 1e6;

const referenceRate = ({ length, milliseconds }: ReferenceTime): number =>
  length / milliseconds / 1e6;

/** How tables call a distribution. */
export const labelOf = (distribution: string): string =>
  distribution === 'random' ? 'uniform bits' : distribution;

/** Uniform bits over all lengths, and those of the reference at the lengths that it has. */
export function lengthPoints({ results, reference = [] }: GpuRecord): LinePoint[] {
  const ours = results.flatMap((result) => {
    const kind = kindOf(result);
    if (kind === undefined || result.distribution !== 'random') return [];
    return [{ kind, program: OURS, length: result.length, rate: rateOf(result) }];
  });
  const theirs = reference.flatMap((time) => {
    const kind = kindOf(time);
    const fastest = referenceFor(reference, { ...time, distribution: 'random' });
    if (kind === undefined || fastest !== time) return [];
    const program = time.name.toUpperCase();
    return [{ kind, program, length: time.length, rate: referenceRate(time) }];
  });
  return [...ours, ...theirs].sort((a, b) => a.length - b.length);
}

/** All distributions of the kinds and lengths that have more than uniform bits. */
export function distributionPoints({ results }: GpuRecord): DistributionPoint[] {
  const points = results.flatMap((result) => {
    const kind = kindOf(result);
    if (kind === undefined) return [];
    const group = `${formatLength(result.length)} ${kind}`;
    return [{ group, distribution: result.distribution, rate: rateOf(result) }];
  });
  const isVaried = new Set(
    points.filter(({ distribution }) => distribution !== 'random').map(({ group }) => group),
  );
  const order: readonly string[] = DISTRIBUTIONS;
  return points
    .filter(({ group }) => isVaried.has(group))
    .sort((a, b) => order.indexOf(a.distribution) - order.indexOf(b.distribution))
    .map((point) => ({ ...point, distribution: labelOf(point.distribution) }));
}
