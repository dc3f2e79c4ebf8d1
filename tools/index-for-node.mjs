/**
 * Bundles the index of the package in the current folder for Node, so that a first sort does not
 * wait for modules: Node takes half a millisecond for each, and the packages have a hundred.
 *
 *   tsc -b && node ../../tools/index-for-node.mjs
 *
 * Writes the file that `exports` of package.json names for `node`, and a file beside it for what is
 * loaded by `import()`. Other packages, but kernels, stay modules of their own, so that their state
 * exists once.
 */

import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { rolldown } from 'rolldown';

const { exports } = JSON.parse(await readFile('package.json', 'utf8'));
const file = exports['.'].import.node;
const name = basename(file, '.js');

const build = await rolldown({
  input: { [name]: 'dist/index.js' },
  platform: 'node',
  logLevel: 'warn',
  plugins: [
    {
      name: 'keysweep-index-for-node',
      resolveId: (id, importer) =>
        importer === undefined || /^[./#]|^@keysweep\/kernels/.test(id)
          ? undefined
          : { id, external: true },
    },
  ],
});
await build.write({
  dir: dirname(file),
  entryFileNames: '[name].js',
  chunkFileNames: `${name}-[name].js`,
});
await build.close();
