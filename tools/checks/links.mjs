/**
 * Fails if a Markdown file names something that doesn't exist: the target of a relative link, a
 * heading in it, or a path of the repository in backticks. Ignores addresses on the web and blocks
 * of code.
 *
 *   node tools/checks/links.mjs [FILE.md …]
 *
 * A path in backticks may leave out leading folders: `plan/cost.ts` stands for any file whose path
 * ends like that. A name without a folder is looked up if it ends in .ts, .wgsl or .glsl. Files
 * that a build writes (`dist/…`) are not looked up, and the changelog may name files that are gone.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';

const git = (...args) =>
  execFileSync('git', ['ls-files', ...args], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

/** Files of the repository, including new ones that git doesn't know yet. */
const files = git('--cached', '--others', '--exclude-standard').filter((file) => existsSync(file));
const folders = new Set(files.flatMap(foldersOf));
const roots = new Set(files.map((file) => file.split('/', 1)[0]));

/** Every way to end a path: `a/b/c.ts` gives itself, `b/c.ts` and `c.ts`. */
const endings = new Set([...files, ...folders].flatMap(endingsOf));

/** The folders that a file is in, the innermost last. */
function foldersOf(file) {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

function endingsOf(path) {
  const parts = path.split('/');
  return parts.map((_, i) => parts.slice(i).join('/'));
}

/** Markdown without its blocks of code, which are left as empty lines. */
function withoutBlocks(text) {
  return text.replace(/^ *(```|~~~)[\s\S]*?^ *\1/gm, (block) => block.replace(/[^\n]/g, ''));
}

/** The names under which headings of a file can be linked to, as GitHub makes them. */
function headingsOf(file) {
  const headings = withoutBlocks(readFileSync(file, 'utf8')).matchAll(/^#+ +(.*)$/gm);
  return [...headings].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What is wrong with a link, or undefined. */
function wrongWithLink(file, target) {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [path, heading] = target.split('#');
  const linked = path === '' ? file : posix.join(dirname(file), decodeURI(path));
  const isFolder = folders.has(linked.replace(/\/$/, ''));
  if (!files.includes(linked) && !isFolder) return `there is no ${linked}`;
  if (heading === undefined || !linked.endsWith('.md')) return undefined;
  return headingsOf(linked).includes(heading) ? undefined : `${linked} has no heading #${heading}`;
}

/**
 * What is wrong with a path in backticks; undefined if nothing is, or if it isn't a path of ours.
 */
function wrongWithPath(code) {
  if (
    !/^[\w@.-]+(\/[\w@.-]+)*\/?$/.test(code) ||
    /^[@.]|(^|\/)(dist|node_modules)(\/|$)/.test(code)
  ) {
    return undefined;
  }
  const path = code.replace(/\/$/, '');
  const isFile = path.includes('/')
    ? /\.(ts|js|mjs|cjs|wgsl|glsl|md|json|svg|html|css|cpp|cu|yml)$/.test(path)
    : /\.(ts|wgsl|glsl)$/.test(path);
  const isFolder = path.includes('/') && roots.has(path.split('/', 1)[0]);
  if (!isFile && !isFolder) return undefined;
  const isThere = endings.has(path) || endings.has(path.replace(/\.js$/, '.ts'));
  return isThere ? undefined : `there is no ${path}`;
}

/** Problems of one file, each with its line. */
function problemsOf(file) {
  const problems = [];
  const lines = withoutBlocks(readFileSync(file, 'utf8')).split('\n');
  for (const [i, line] of lines.entries()) {
    const links = [...line.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)|(?:src|href|srcset)="([^"]+)"/g)];
    const paths = file === 'CHANGELOG.md' ? [] : [...line.matchAll(/`([^`]+)`/g)];
    const found = [
      ...links.map(([, link, source]) => wrongWithLink(file, link ?? source)),
      ...paths.map(([, code]) => wrongWithPath(code)),
    ];
    for (const problem of found) {
      if (problem !== undefined) problems.push(`${file}:${i + 1}: ${problem}`);
    }
  }
  return problems;
}

const named = process.argv.slice(2);
const checked = named.length > 0 ? named : files.filter((file) => file.endsWith('.md'));
const problems = checked.flatMap(problemsOf);
for (const problem of problems) console.log(problem);
if (problems.length > 0) {
  console.log(`${problems.length} links or paths lead nowhere`);
  process.exitCode = 1;
}
