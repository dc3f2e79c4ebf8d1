/**
 * Bundles the package in the current folder for Node, so that a first sort does not wait for
 * modules: Node takes half a millisecond for each, and the packages have a hundred.
 *
 *   tsc -b && node ../../tools/for-node.mjs
 *
 * Writes the files that `exports` of package.json names for `node`, all into one folder, and files
 * beside them for what they share or load by `import()`: the state of a package exists once.
 * Other packages, except kernels, stay modules of their own for the same reason.
 */

import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { rolldown } from 'rolldown';

const { exports } = JSON.parse(await readFile('package.json', 'utf8'));
const entries = Object.values(exports)
  .map((conditions) => conditions.import)
  .filter((files) => files?.node !== undefined);

const build = await rolldown({
  input: Object.fromEntries(entries.map((files) => [basename(files.node, '.js'), files.default])),
  platform: 'node',
  logLevel: 'warn',
  plugins: [
    {
      name: 'keysweep-for-node',
      resolveId: (id, importer) =>
        importer === undefined || /^[./#]|^@keysweep\/kernels/.test(id)
          ? undefined
          : { id, external: true },
    },
  ],
});
await build.write({
  dir: dirname(entries[0].node),
  entryFileNames: '[name].js',
  chunkFileNames: 'node-[name].js',
});
await build.close();
