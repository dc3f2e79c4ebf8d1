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
  'packages/keysweep/test/pages/workers.test.ts',
  'packages/external/test/peak-memory.test.ts',
  'packages/cluster/test/cluster.test.ts',
  'packages/external/test/processes.test.ts',
  'packages/external/test/sort-file.test.ts',
  'packages/external/test/s3.test.ts',
  'apps/cli/test/table-threads.test.ts',
  'apps/docs/test/blocks-in-page.test.ts',
  'examples/arrow-table/test/arrow-table.test.ts',
  'examples/splats/test/splats.test.ts',
  'packages/keysweep/test/collation/spelling-threads.test.ts',
  'packages/keysweep/test/package/one-file.test.ts',
  'packages/cpu/test/early-commit.test.ts',
  'apps/everywhere/test/core.test.ts',
  'apps/cli/test/cluster.test.ts',
  'packages/keysweep/test/builtin/first-sorts.test.ts',
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
