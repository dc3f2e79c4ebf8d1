/**
 * Every block of JavaScript and TypeScript on the pages is compiled against the packages' types,
 * and run in Node unless a comment before it says why not. Names that a block does not declare are
 * those of blocks/names.d.ts.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, readBlocks, writeBlocks } from '../blocks/code-blocks.js';
import { ROOT } from '../pages.js';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const RUNNER = fileURLToPath(new URL('../blocks/run-blocks.mjs', import.meta.url));

/** Runs a program of Node's to its end; resolves to what it printed. */
async function node(args: readonly string[], cwd: string): Promise<{ out: string; err: string }> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { out, err };
}

const blocks = await readBlocks();
const run = blocks.filter(({ notRun }) => notRun === undefined);
/** Of a block's file. */
let mistakes: Map<string, string[]>;
let outcomes: Map<string, string | null>;
let warnings: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keysweep-blocks-'));
  const written = await writeBlocks(blocks);
  const { out, err } = await node([TSC, '-p', written, '--pretty', 'false'], written);
  mistakes = new Map(blocks.map(({ file }) => [file, []]));
  for (const line of `${out}${err}`.split('\n').filter((line) => /^\S/.test(line))) {
    const [file = ''] = line.split('(', 1);
    const known = mistakes.get(file);
    if (known === undefined) throw new Error(line);
    known.push(line);
  }
  const compiled = ({ file }: Block) => join(written, 'out', file.replace(/\.mts$/, '.mjs'));
  const { out: lines, err: said } = await node([RUNNER, ...run.map(compiled)], folder);
  const ends = JSON.parse(lines) as (string | null)[];
  outcomes = new Map(run.map(({ file }, i) => [file, ends[i] as string | null]));
  warnings = said;
});

afterAll(() => rm(folder, { recursive: true }));

describe('a block of code compiles', () => {
  it.each(blocks)('$place', ({ file }) => {
    expect(mistakes.get(file)).toEqual([]);
  });
});

describe('a block of code runs', () => {
  it.each(run)('$place', ({ file }) => {
    expect(outcomes.get(file)).toBeNull();
  });
});

it('no block makes keysweep or Node warn', () => {
  expect(warnings).toBe('');
});

it('every page with functions of keysweep has blocks', () => {
  const pages = new Set(blocks.map(({ place }) => place.split(':')[0]));
  expect([...pages]).toEqual(
    expect.arrayContaining(['README.md', 'docs/api.md', 'docs/start.md', 'docs/tables.md']),
  );
});
