/**
 * Bundles the package in the current folder for Node, so that a first sort does not wait for
 * modules: Node takes half a millisecond for each, and the packages have a hundred.
 *
 *   tsc -b && node ../../tools/build/for-node.mjs [PATTERN]
 *
 * Modules that several files share, and whose paths fit the pattern, become one file, because each
 * file takes Node as long as 20 KB of code. NAME-at-once.js takes the place of NAME-later.js, which
 * loads code when it's needed. Writes the files that `exports` of package.json names for `node`,
 * all into one folder, and files beside them for what they share or load by `import()`: the state
 * of a package exists once. Other packages, except kernels, stay modules of their own for that
 * reason.
 */

import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const { exports } = JSON.parse(await readFile('package.json', 'utf8'));
const entries = Object.values(exports)
  .map((conditions) => conditions.import)
  .filter((files) => files?.node !== undefined);

const [, , pattern] = process.argv;
const shared = new RegExp(pattern === undefined ? '^$' : `${pattern}|rolldown/runtime`);

/** Puts the bundler's own functions, which would be a file, where they are used. */
function inlineRuntime(bundle) {
  const file = 'node-rolldown-runtime.js';
  if (!(file in bundle)) return;
  const functions = bundle[file].code.replace(/^(import|export) .*\n/gm, '');
  for (const chunk of Object.values(bundle)) {
    chunk.code = chunk.code.replace(
      /^import (?:\{.*\} from )?"\.\/node-rolldown-runtime\.js";\n/m,
      (statement) => (statement.includes('{') ? functions : ''),
    );
  }
  delete bundle[file];
}

/** The module that Node has in place of one that loads code later. */
const atOnce = (id) => id.replace(/-later\.js$/, '-at-once.js');

const build = await rolldown({
  input: Object.fromEntries(entries.map((files) => [basename(files.node, '.js'), files.default])),
  platform: 'node',
  logLevel: 'warn',
  // In a page they are files of their own.
  checks: { ineffectiveDynamicImport: false },
  plugins: [
    {
      name: 'keysweep-for-node',
      resolveId(id, importer) {
        if (importer === undefined) return undefined;
        // What a page loads later is at hand in Node.
        if (id.endsWith('-later.js')) return resolve(dirname(importer), atOnce(id));
        return /^[./#]|^@keysweep\/kernels/.test(id) ? undefined : { id, external: true };
      },
      generateBundle: (_, bundle) => inlineRuntime(bundle),
    },
  ],
});
await build.write({
  dir: dirname(entries[0].node),
  entryFileNames: '[name].js',
  chunkFileNames: 'node-[name].js',
  codeSplitting: { groups: [{ name: 'shared', test: shared, minShareCount: 2 }] },
  // The engine would read them before a first sort, and `src` has them.
  comments: { jsdoc: false },
});
await build.close();
