/** `measure`: ordinary arrays through the WebGL2 backend, in turns with the built-in sort. */

import { Random, randomKeys } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { differenceOf } from '@keysweep/conformance/verify';
import type { Phase } from '@keysweep/core';
import { type Webgl2Options, webgl2 } from '@keysweep/webgl2';
import { createSorter, type SortReport } from 'keysweep';

export interface MeasureOptions {
  /** Lengths, as powers of two. */
  readonly sizes: readonly number[];
  /** Sorts of each kind that count; one before does not. */
  readonly samples: number;
  readonly backend: Webgl2Options;
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

/** Measures, prints a line for each size, and resolves to all of it. @throws Error where a result is wrong. */
export async function measure(options: MeasureOptions): Promise<Measured[]> {
  const { sizes, samples, backend } = options;
  const sorter = await createSorter({ backends: [webgl2(backend)] });
  console.log(JSON.stringify(await sorter.capabilities()));
  const phases: readonly Phase[] = ['upload', 'sort', 'readback'];
  const columns = ['passes', 'ms/pass', ...phases, 'total', 'built-in', 'times'];
  console.log(['   length', ...columns.map((name) => name.padStart(9))].join(''));
  const measured: Measured[] = [];
  for (const size of sizes) {
    const length = 2 ** size;
    const reports: SortReport[] = [];
    const times: [number, number][] = [];
    for (let i = 0; i <= samples; i++) {
      const ours = randomKeys(length, new Random(size * 1000 + i));
      const theirs = ours.slice();
      const start = performance.now();
      // Named: 'auto' leaves software to others.
      await sorter.sort(ours, { backend: 'webgl2', onReport: (report) => reports.push(report) });
      const between = performance.now();
      theirs.sort();
      const end = performance.now();
      const fault = differenceOf(ours, theirs);
      if (fault !== undefined) throw new Error(`2^${size}: ${fault}`);
      times.push([between - start, end - between]);
    }
    // The first of a size takes its memory.
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
    console.log([`     2^${size}`, ...cells].join(''));
  }
  await sorter.close();
  return measured;
}
