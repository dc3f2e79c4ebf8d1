/**
 * Test files of which `npm test` draws a few by its seed, and leaves the others to its next runs.
 * Most of what such a file takes is what it starts or compiles, not its tests, and it comes past
 * code that files which always run come past, too: see CONTRIBUTING.md.
 */

import { NOT_DRAWN, sample } from '@keysweep/conformance/data';
import type { LeftOut } from './platform.mjs';

const GROUPS: readonly { readonly count: number; readonly files: readonly string[] }[] = [
  {
    // Whole sorts by a software GPU, which compiles for seconds.
    count: 1,
    files: [
      'packages/webgpu/test/chained.test.ts',
      'packages/webgpu/test/chunk-sort.test.ts',
      'packages/webgpu/test/first.test.ts',
      'packages/webgpu/test/gpu-segments.test.ts',
      'packages/webgpu/test/key-bits.test.ts',
      'packages/webgpu/test/segment-trial.test.ts',
    ],
  },
  {
    // Whole sorts in a page, most of which files for Node try, too.
    count: 2,
    files: [
      'packages/cpu/test/conformance.browser.test.ts',
      'packages/keysweep/test/documents/gpu-buffers.browser.test.ts',
      'packages/webgl2/test/conformance.browser.test.ts',
      'packages/webgl2/test/eight-targets.browser.test.ts',
      'packages/webgl2/test/library.browser.test.ts',
      'packages/webgpu/test/conformance.browser.test.ts',
      'packages/webgpu/test/radix-sorter.browser.test.ts',
      'packages/webgpu/test/segments.browser.test.ts',
    ],
  },
  {
    // Pages that are built or served, each in a browser of its own.
    count: 2,
    files: [
      'apps/bench/test/first-pages.test.ts',
      'apps/bench/test/pages.test.ts',
      'apps/compare/test/page-data.test.ts',
      'apps/compare/test/page-first.test.ts',
      'apps/compare/test/page.test.ts',
      'apps/docs/test/blocks-in-page.test.ts',
      'examples/arrow-table/test/arrow-table.test.ts',
      'examples/particles/test/particles.test.ts',
      'examples/plot/test/plot.test.ts',
      'examples/splats/test/splats.test.ts',
      'packages/keysweep/test/documents/documented-pages.test.ts',
      'packages/keysweep/test/pages/pages.test.ts',
    ],
  },
  {
    // Benchmarks, compilers, bundlers and engines, each of which is started for a test.
    count: 4,
    files: [
      'apps/bench/test/cpu.test.ts',
      'apps/bench/test/gpu.test.ts',
      'apps/bench/test/real-keys.test.ts',
      'apps/bench/test/references.test.ts',
      'apps/bench/test/regret.test.ts',
      'apps/bench/test/soak.test.ts',
      'apps/bench/test/substitutes.test.ts',
      'apps/cli/test/duckdb.test.ts',
      'apps/cli/test/peak-memory.test.ts',
      'apps/docs/test/types.test.ts',
      'apps/everywhere/test/toys.test.ts',
      'apps/papers/test/gpu/papers.test.ts',
      'apps/papers/test/gpu/program.test.ts',
      'apps/papers/test/gpu/stages.test.ts',
      'packages/keysweep/test/package/one-file.test.ts',
      'packages/keysweep/test/package/realms.test.ts',
      'packages/keysweep/test/package/types.test.ts',
    ],
  },
];

/** The files that the run of `seed` leaves to other runs. */
export const filesNotDrawn = (seed: number): readonly LeftOut[] =>
  GROUPS.flatMap(({ count, files }, i) => {
    const drawn = sample(files, count, seed + i);
    const others = files.filter((file) => !drawn.includes(file));
    return others.map((file) => ({ files: [file], reason: NOT_DRAWN }));
  });
