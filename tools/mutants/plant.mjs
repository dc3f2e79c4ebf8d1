/**
 * Plants every small change that Stryker knows in sources of a copied checkout, and builds them.
 * All of them are there at once, and an environment variable says which one counts. So tests run
 * what users run, with its bundles, threads and processes, and nothing is built between mutants.
 */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { transformSync } from 'rolldown/utils';

/** What Stryker puts in front of each module. */
const HELPERS =
  /function stryNS_9fa48\(\) \{[\s\S]*?\nfunction stryMutAct_9fa48\(id\) \{[\s\S]*?\n\}\n/;

/**
 * What comes in its place. KEYSWEEP_MUTANT is the number of the mutant that counts; a loop that it
 * makes endless throws after KEYSWEEP_HITS rounds. Processes and threads that tests start append
 * the mutants that they come past to the file KEYSWEEP_COVERED; the process of the test itself
 * keeps its own (see setup.mjs).
 */
const OWN_HELPERS = `
var stryOwn_9fa48;
function stryMutants_9fa48() {
  return stryOwn_9fa48 ??= globalThis.keysweepMutants ??= (() => {
    const { env } = globalThis.process ?? { env: {} };
    const space = { active: +env.KEYSWEEP_MUTANT, hits: +env.KEYSWEEP_HITS, cover: undefined };
    if (!env.KEYSWEEP_COVERED) return space;
    const { appendFileSync } = process.getBuiltinModule('node:fs');
    const seen = [];
    space.cover = (id) => {
      if (seen[id]) return;
      seen[id] = true;
      appendFileSync(env.KEYSWEEP_COVERED, id + '\\n');
    };
    return space;
  })();
}
function stryMutAct_9fa48(id) {
  const space = stryMutants_9fa48();
  if (space.active !== id) return false;
  if (--space.hits < 0) throw new Error('a loop does not end');
  return true;
}
function stryCov_9fa48() {
  const { cover } = stryMutants_9fa48();
  if (cover === undefined) return;
  for (let i = 0; i < arguments.length; i++) cover(arguments[i]);
}
`;

/** Numbers in place of Stryker's texts: they are compared in loops over keys. */
const withNumbers = (code) =>
  code.replace(/stry(?:MutAct|Cov)_9fa48\([\d", ]+\)/g, (call) => call.replaceAll('"', ''));

/** Texts of messages are not mutated: to compare them word by word would be no test. */
const MESSAGES = {
  shouldIgnore: ({ node, parent, parentPath }) => {
    if (!/^(?:String|Template)Literal$/.test(node.type)) return undefined;
    const path = /^(?:Binary|Template)/.test(parent?.type) ? parentPath.parentPath : parentPath;
    const isNew = path?.node.type === 'NewExpression';
    const isMessage =
      isNew && (path.parent.type === 'ThrowStatement' || /Error$/.test(path.node.callee.name));
    return isMessage ? 'the text of a message' : undefined;
  },
};

/** The sources of a package, or under a folder or file; declarations have nothing to change. */
async function sourcesUnder(root, path) {
  if ((await stat(join(root, path))).isFile()) return [path];
  if (existsSync(join(root, path, 'src'))) return sourcesUnder(root, join(path, 'src'));
  const names = await readdir(join(root, path), { recursive: true });
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(path, name))
    .sort();
}

const SILENT = Object.fromEntries(
  ['debug', 'info', 'warn', 'error', 'trace', 'isDebugEnabled', 'isTraceEnabled'].map((name) => [
    name,
    () => false,
  ]),
);

/** Stryker's part: the sources with all mutants, and what and where each of them is. */
async function instrumented(root, files) {
  const sources = await Promise.all(
    files.map(async (name) => {
      const content = await readFile(join(root, name), 'utf8');
      return { name, content, mutate: true };
    }),
  );
  const options = { plugins: null, excludedMutations: [], ignorers: [MESSAGES] };
  const result = await new Instrumenter(SILENT).instrument(sources, options);
  const texts = new Map(sources.map(({ name, content }) => [name, content.split('\n')]));
  const mutants = result.mutants.map(({ id, fileName, location, ...mutant }) => {
    const file = relative(process.cwd(), fileName);
    const { start, end } = location;
    return {
      id: Number(id),
      file,
      // Stryker counts from 0.
      line: start.line + 1,
      code: texts.get(file)[start.line].trim(),
      mutator: mutant.mutatorName,
      before: between(texts.get(file), start, end),
      after: mutant.replacement,
      ...(mutant.status === 'Ignored' ? { ignored: mutant.statusReason } : {}),
    };
  });
  return { files: result.files, mutants };
}

function between(lines, start, end) {
  if (start.line === end.line) return lines[start.line].slice(start.column, end.column);
  const middle = lines.slice(start.line + 1, end.line);
  return [lines[start.line].slice(start.column), ...middle, lines[end.line].slice(0, end.column)]
    .map((line) => line.trim())
    .join(' ');
}

const BUILDS = ['build.mjs', '../../tools/build/for-node.mjs', '../../tools/build/commonjs.mjs'];

/** The steps of a package's own build that follow the compiler and make files that tests load. */
async function bundle(root, folder) {
  const { scripts } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  for (const program of BUILDS) {
    if (!scripts.build.includes(`node ${program}`)) continue;
    execFileSync(process.execPath, [program], { cwd: join(root, folder), stdio: 'inherit' });
  }
}

/** Plants mutants in what lies under `paths` of the copy at `root`. Returns all of them. */
export async function plant(root, paths) {
  const files = (await Promise.all(paths.map((path) => sourcesUnder(root, path)))).flat();
  const { files: changed, mutants } = await instrumented(root, [...new Set(files)]);
  const folders = new Set();
  for (const { name, content } of changed) {
    const file = relative(process.cwd(), name);
    const target = { target: 'es2022', typescript: { onlyRemoveTypeImports: true } };
    const own = withNumbers(content.replace(HELPERS, '')) + OWN_HELPERS;
    if (/stryNS_9fa48|_9fa48\("/.test(own)) throw new Error(`${file}: other helpers of Stryker's`);
    const { code, errors } = transformSync(file, own, target);
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    const [folder, path] = file.split('/src/');
    const built = join(root, folder, 'dist', path.replace(/ts$/, 'js'));
    if (!existsSync(built)) throw new Error(`${file} is not built: ${built} is missing`);
    await writeFile(built, code);
    // Some tests load a source itself.
    await writeFile(join(root, file), own);
    folders.add(folder);
  }
  for (const folder of folders) await bundle(root, folder);
  return mutants;
}
