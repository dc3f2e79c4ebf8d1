/** Ordinary arrays through the webgl2 backend, by turns with the built-in sort. */

import { makeKeys, Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { differenceOf } from '@keysweep/conformance/verify';
import type { Phase } from '@keysweep/core';
import { webgl2 } from '@keysweep/webgl2';
import { createSorter, type SortReport } from 'keysweep';

export interface MeasureOptions {
  readonly lengths: readonly number[];
  /** Sorts of each kind that count; one before does not. */
  readonly samples: number;
  readonly seed: number;
  /** A fragment writes at most 2^slotBits textures. */
  readonly slotBits: 2 | 3;
}

/** Medians in milliseconds. */
export interface Measured {
  readonly length: number;
  readonly passes: number;
  readonly total: number;
  readonly builtin: number;
  readonly phases: { readonly [phase in Phase]?: number };
  readonly samples: readonly (readonly [ours: number, builtin: number])[];
}

const formatted = (milliseconds = 0): string => milliseconds.toFixed(2).padStart(9);

/**
 * Measures, prints a line for each size, and resolves to all of it. @throws Error where a result is
 * wrong.
 */
export async function measureWebgl2(options: MeasureOptions): Promise<Measured[]> {
  const { lengths, samples, seed, slotBits } = options;
  const random = new Random(seed);
  const load = (): Promise<object> => import('gpu.js');
  const sorter = await createSorter({ backends: [webgl2({ load, slotBits })] });
  console.log(JSON.stringify(await sorter.capabilities()));
  const phases: readonly Phase[] = ['upload', 'sort', 'readback'];
  const columns = ['passes', 'ms/pass', ...phases, 'total', 'built-in', 'times'];
  console.log(['   length', ...columns.map((name) => name.padStart(9))].join(''));
  const measured: Measured[] = [];
  for (const length of lengths) {
    const reports: SortReport[] = [];
    const times: [number, number][] = [];
    for (let i = 0; i <= samples; i++) {
      const ours = makeKeys('u32', length, 'random', random);
      const theirs = ours.slice();
      const start = performance.now();
      // By name: 'auto' takes no software renderer.
      await sorter.sort(ours, { backend: 'webgl2', onReport: (report) => reports.push(report) });
      const between = performance.now();
      theirs.sort();
      const end = performance.now();
      const fault = differenceOf(ours, theirs);
      if (fault !== undefined) throw new Error(`${length} keys: ${fault}`);
      times.push([between - start, end - between]);
    }
    // The first of a length does not count: it allocates.
    const counted = times.slice(1);
    const middle = (phase: Phase): number =>
      median(reports.slice(1).map(({ milliseconds }) => milliseconds[phase] ?? 0));
    const row: Measured = {
      length,
      passes: reports[0]?.passes.run ?? 0,
      total: median(counted.map(([ours]) => ours)),
      builtin: median(counted.map(([, builtin]) => builtin)),
      phases: Object.fromEntries(phases.map((phase) => [phase, middle(phase)])),
      samples: counted,
    };
    measured.push(row);
    const cells = [
      String(row.passes).padStart(9),
      formatted((row.phases.sort ?? 0) / row.passes),
      ...phases.map((phase) => formatted(row.phases[phase])),
      formatted(row.total),
      formatted(row.builtin),
      formatted(row.builtin / row.total),
    ];
    console.log([String(length).padStart(9), ...cells].join(''));
  }
  await sorter.close();
  return measured;
}
