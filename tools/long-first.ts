/**
 * The order of test files in a clone that has run none yet. Vitest begins with the largest files;
 * these are short and take long, and at the end of a run they would keep one core waiting.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONG = [
  'packages/webgpu/test/stages.test.ts',
  'packages/webgpu/test/segment-stages.test.ts',
  'apps/cli/test/table-threads.test.ts',
  'packages/keysweep/test/first-sorts.test.ts',
  'examples/splats/test/splats.test.ts',
  'packages/cpu/test/conformance.test.ts',
  'apps/bench/test/gpu.test.ts',
  'apps/papers/test/gpu/program.test.ts',
  'apps/cli/test/duckdb.test.ts',
  'apps/everywhere/test/core.test.ts',
  'apps/everywhere/test/toys.test.ts',
  'packages/conformance/test/self.test.ts',
  'packages/keysweep/test/lifetime.test.ts',
  'packages/keysweep/test/realms.test.ts',
].map((file) => join(fileURLToPath(new URL('..', import.meta.url)), file));

const missing = LONG.find((file) => !existsSync(file));
if (missing !== undefined) throw new Error(`tools/long-first.ts names ${missing}, which is gone`);

export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Vitest knows by its last run which files take long.
    if (files.some((file) => this.#isKnown(file))) return sorted;
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.includes(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }

  #isKnown({ moduleId, project }: TestSpecification): boolean {
    const path = moduleId.slice(this.ctx.config.root.length + 1);
    return this.ctx.cache.getFileTestResults(`${project.name}:${path}`) !== undefined;
  }
}
