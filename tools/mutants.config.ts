/** How Stryker runs the tests of one package: on its sources, which it changes. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

const { KEYSWEEP_MUTANTS_OF: folder = 'packages/core' } = process.env;
const { name, exports } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));

/** What the package exports, each name with its source in place of what is built. */
const alias = Object.entries<{ default?: string; import?: { default: string } }>(exports).map(
  ([entry, { default: plain, import: imported }]) => ({
    find: new RegExp(`^${name}${entry.slice(1)}$`),
    replacement: resolve(
      folder,
      `${imported?.default ?? plain}`.replace('dist', 'src').replace(/js$/, 'ts'),
    ),
  }),
);

/** What tests import of the package by its path. */
const byPath = { find: /^(?:\.\.\/)+dist\/(.*)\.js$/, replacement: resolve(folder, 'src/$1.ts') };

export default defineConfig({
  resolve: { alias: [...alias, byPath] },
  test: {
    include: [`${folder}/test/**/*.test.ts`],
    exclude: ['**/*.browser.test.ts'],
    // Stryker has limits of its own, by how long the tests take without a mutant.
    testTimeout: 600_000,
  },
});
