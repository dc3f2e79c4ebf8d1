/**
 * Makes the CommonJS build of the package in the current folder from its ES modules:
 *
 *   tsc -b && node ../../tools/build/commonjs.mjs
 *
 * Wherever `exports` or `imports` of its package.json names an `import` and a `require` file, the
 * second is made from the first. All of them share their modules, so that a package's state exists
 * once. Types are copied from `dist` to `dist/cjs`, with the other ending.
 */

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const DIST = resolve('dist');
const CJS = join(DIST, 'cjs');
const manifest = JSON.parse(await readFile('package.json', 'utf8'));

/** The files of each pair of conditions: `[the ES module, the CommonJS file]`. */
function pairsIn(conditions) {
  if (typeof conditions !== 'object') return [];
  const { import: esm, require: cjs } = conditions;
  if (esm === undefined || cjs === undefined) return Object.values(conditions).flatMap(pairsIn);
  const files = [esm.default ?? esm, cjs.default ?? cjs];
  // What is written by hand lies elsewhere, in both forms.
  return files[1].startsWith('./dist/') ? [files] : [];
}

/** `#threads` and the like: package.json chooses the file, by condition. */
const choices = Object.keys(manifest.imports ?? {});

/** The file that stands for a choice: see `browser` in package.json. */
const fileOf = (choice) => `./${choice.slice(1)}.cjs`;

/**
 * `import.meta.url` of an ES module for Node: CommonJS too finds the files beside that module. In a
 * page there is none.
 */
function urlOf(path, code) {
  if (!/from 'node:/.test(code)) return 'undefined';
  const esm = JSON.stringify(relative(CJS, path).replaceAll('\\', '/'));
  return `require('node:url').pathToFileURL(require('node:path').join(__dirname, ${esm})).href`;
}

/**
 * Loads packages that are installed beside this one by `require`: it works in Jest, where
 * `import()` needs a flag of Node. An optional package may be an ES module: its `import()` stays.
 */
const byRequire = (code) =>
  code.replace(/\bimport\('([^'.][^']*)'\)/g, (whole, name) => {
    const owner = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
    if (manifest.dependencies?.[owner] === undefined) return whole;
    return `(async () => require('${name}'))()`;
  });

/** The same for chunks of the package itself. Parcel breaks what the bundler writes for them. */
const chunksByRequire = (code) =>
  code.replace(
    /\bPromise\.resolve\(\)\.then\(\(\) => (require\("[^"]*"\))\)/g,
    '(async () => $1)()',
  );

const toCommonJs = {
  name: 'keysweep-commonjs',
  resolveId: (id) => {
    if (choices.includes(id)) return { id: fileOf(id), external: true };
    return /^[./]/.test(id) ? undefined : { id, external: true };
  },
  transform: (code, path) => ({
    code: byRequire(code.replaceAll('import.meta.url', () => urlOf(path, code))),
    map: null,
  }),
  renderChunk: (code) => ({ code: chunksByRequire(code), map: null }),
};

/** Declarations for CommonJS: the same, but for the names of the files that they import. */
async function copyTypes() {
  const names = (await readdir(DIST, { recursive: true })).filter((name) => name.endsWith('.d.ts'));
  await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(DIST, name), 'utf8');
      const to = join(CJS, name.replace(/\.d\.ts$/, '.d.cts'));
      await mkdir(dirname(to), { recursive: true });
      await writeFile(
        to,
        text
          .replace(/((?:from |import |import\()'\.{1,2}\/[^']*)\.js'/g, "$1.cjs'")
          .replace(/\n\/\/# sourceMappingURL=.*/, ''),
      );
    }),
  );
}

const pairs = [manifest.exports, manifest.imports ?? {}].flatMap(pairsIn);
const input = Object.fromEntries(pairs.map(([esm, cjs]) => [basename(cjs, '.cjs'), esm]));

await rm(CJS, { recursive: true, force: true });
const build = await rolldown({ input, plugins: [toCommonJs], platform: 'node' });
await build.write({
  dir: CJS,
  format: 'cjs',
  exports: 'named',
  // A worker's file exports nothing, and then is a plain script, too.
  generatedCode: { symbols: false },
  entryFileNames: '[name].cjs',
  chunkFileNames: 'shared-[name].cjs',
  // As for-node.mjs does.
  comments: { jsdoc: false },
});
await build.close();
for (const choice of choices) {
  await writeFile(join(CJS, fileOf(choice)), `module.exports = require('${choice}');\n`);
}
await copyTypes();
