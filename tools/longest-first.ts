/**
 * The order of test files. Those that are known to take longest begin first, so that none of them
 * is left for the end.
 */

import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Others follow as Vitest orders them: by what they took the last time, or by their size. */
const LONGEST = [
  'packages/keysweep/test/workers.test.ts',
  'packages/keysweep/test/pages.test.ts',
  'packages/cpu/test/skew.test.ts',
  'packages/conformance/test/self.test.ts',
  'apps/compare/test/page.test.ts',
  'apps/bench/test/gpu.test.ts',
  'packages/cpu/test/failure.test.ts',
  'packages/cpu/test/divide.test.ts',
  'apps/cli/test/parquet.test.ts',
];

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const path = relative(this.ctx.config.root, moduleId).replaceAll('\\', '/');
      const place = LONGEST.indexOf(path);
      return place < 0 ? LONGEST.length : place;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
