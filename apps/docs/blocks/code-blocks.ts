/** The blocks of code on the pages, as files that can be compiled and run. */

import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../pages.js';
import { hasBlocks } from './in-page.js';

/** Where the files go: from here the workspace's packages are found. */
export const BLOCKS: string = fileURLToPath(new URL('../generated/blocks/', import.meta.url));

/** A line before the block, and the block. Blocks in lists are indented. */
const BLOCK = /(?:^<!-- ([^\n]*) -->\n)?^( *)```(js|ts)\n(.*?)^ *```$/gms;

export interface Block {
  /** Where it stands: `docs/api.md:25`. */
  readonly place: string;
  /** The file that it is written to, below `BLOCKS`; compiled, it ends in .js or .mjs. */
  readonly file: string;
  readonly code: string;
  /** Why it is compiled alone: what the comment `<!-- not run: … -->` before it says. */
  readonly notRun: string | undefined;
}

/** All blocks of JavaScript and TypeScript on the pages that are in the repository. */
export async function readBlocks(): Promise<Block[]> {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter(hasBlocks);
  const blocks = files.map(async (file) =>
    blocksOf(file, await readFile(join(ROOT, file), 'utf8')),
  );
  return (await Promise.all(blocks)).flat();
}

function blocksOf(file: string, text: string): Block[] {
  return Array.from(text.matchAll(BLOCK), ([all, mark = '', indent = '', language, code = '']) => {
    const line = text.slice(0, text.indexOf(all)).split('\n').length;
    // A block may begin with the name that another one imports.
    const [, name] = /^\/\/ (\S+\.m?js)\b/.exec(code) ?? [];
    const [, notRun] = /^not run: (.*)$/.exec(mark) ?? [];
    return {
      place: `${file}:${line}`,
      file: join(file.replace(/\.md$/, ''), name ?? `${line}.m${language}`),
      code: code.replaceAll(`\n${indent}`, '\n').slice(indent.length),
      notRun,
    };
  });
}

/** The blocks, and the settings of the compiler beside them: paths, and what the files hold. */
export function filesOf(blocks: readonly Block[]): Map<string, string> {
  return new Map([
    // A block without an import is a module, too.
    ...blocks.map(({ file, code }): [string, string] => [file, `${code}\nexport {};\n`]),
    ['package.json', '{ "type": "module" }'],
    ['tsconfig.json', JSON.stringify(SETTINGS)],
  ]);
}

/** Writes these files; returns the folder. */
export async function writeBlocks(blocks: readonly Block[]): Promise<string> {
  await rm(BLOCKS, { recursive: true, force: true });
  for (const [file, text] of filesOf(blocks)) {
    const path = join(BLOCKS, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return BLOCKS;
}

/** Examples are not strict: their functions have no types. */
const SETTINGS = {
  compilerOptions: {
    target: 'ES2024',
    module: 'NodeNext',
    lib: ['ES2024', 'ESNext.Float16', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
    types: ['node', '@webgpu/types'],
    allowJs: true,
    checkJs: true,
    strict: false,
    skipLibCheck: true,
    rootDir: '.',
    outDir: 'out',
  },
  include: ['**/*', '../../blocks/*.d.ts'],
  exclude: ['out'],
};
