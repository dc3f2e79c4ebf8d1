/** Sorts in realms that lack what pages and Node.js have, such as those of edge functions. */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { EdgeVM } from '@edge-runtime/vm';
import { isThorough, NOT_DRAWN, sample } from '@keysweep/conformance/data';
import { type OutputChunk, rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { beforeAll, expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../engines/realm.mjs', import.meta.url));

let code = '';

/** One script of the program and the packages, as for a page, or by these conditions. */
async function bundle(conditionNames?: string[]): Promise<OutputChunk> {
  const bundle = await rolldown({
    input: PROGRAM,
    platform: 'browser',
    ...(conditionNames && { resolve: { conditionNames } }),
    onLog(level, log, handler) {
      // The address of the worker's file: no script has one, and it is not asked for.
      if (log.code !== 'EMPTY_IMPORT_META') handler(level, log);
    },
  });
  const { output } = await bundle.generate({ format: 'iife', codeSplitting: false });
  await bundle.close();
  return output[0];
}

beforeAll(async () => {
  ({ code } = await bundle());
});

/** What is left of a realm's globals when `names` were taken away. */
function bareRealm(names: readonly string[]): (code: string) => unknown {
  const context = createContext({});
  runInContext(`for (const name of ${JSON.stringify(names)}) delete globalThis[name];`, context);
  return (code) => runInContext(code, context);
}

async function found(
  evaluate: (code: string) => unknown,
  program = code,
): Promise<Record<string, unknown>> {
  evaluate(program);
  const { available, cases, faults } = JSON.parse((await evaluate('result')) as string);
  expect(cases).toBeGreaterThan(200);
  expect(faults).toEqual([]);
  return { available };
}

const ALONE = { available: ['cpu', 'builtin'] };

/** Where a quick run sorts by WebAssembly; in the other place it does so without. */
const compiled = sample(['realm', 'edge-runtime'], 1);
const plain = isThorough
  ? compiled
  : ['realm', 'edge-runtime'].filter((at) => !compiled.includes(at));

it('sorts in a realm that has nothing but the language', async ({ skip }) => {
  skip(!compiled.includes('realm'), NOT_DRAWN);
  const evaluate = bareRealm(['console']);
  const names = ['navigator', 'performance', 'setTimeout', 'MessageChannel', 'console', 'URL'];
  expect(evaluate(`${JSON.stringify(names)}.filter((name) => name in globalThis)`)).toEqual([]);
  expect(await found(evaluate)).toEqual(ALONE);
});

it('sorts in one without WebAssembly and shared memory either', async ({ skip }) => {
  skip(!plain.includes('realm'), NOT_DRAWN);
  const names = ['console', 'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'Float16Array', 'Intl'];
  expect(await found(bareRealm(names))).toEqual(ALONE);
});

it('sorts in edge-runtime, which has timers, and neither navigator nor workers', async ({
  skip,
}) => {
  skip(!compiled.includes('edge-runtime'), NOT_DRAWN);
  const edge = new EdgeVM();
  expect(edge.evaluate('typeof navigator + typeof Worker')).toBe('undefinedundefined');
  expect(await found((code) => edge.evaluate(code))).toEqual(ALONE);
});

it('sorts in edge-runtime if no code may be compiled', async ({ skip }) => {
  skip(!plain.includes('edge-runtime'), NOT_DRAWN);
  const edge = new EdgeVM({ codeGeneration: { strings: false, wasm: false } });
  // The shared sorter says once that it has lost WebAssembly.
  edge.evaluate('console.warn = () => {}');
  expect(await found((code) => edge.evaluate(code))).toEqual(ALONE);
});

/** The kinds of all nodes of a syntax tree. */
function* kindsIn(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node) yield String(node.type);
  for (const child of Object.values(node)) yield* kindsIn(child);
}

it('sorts in what React Native is given, which its engine parses', async () => {
  const native = await bundle(['react-native', 'import', 'default']);
  const ofKeysweep = native.moduleIds.filter((id) => /packages.keysweep.dist/.test(id));
  expect(ofKeysweep).toEqual([expect.stringMatching(/keysweep\.min\.js$/)]);
  const file = await readFile(ofKeysweep[0] as string, 'utf8');
  const kinds = new Set(kindsIn(parseAst(file)));
  expect(kinds).toContain('FunctionDeclaration');
  // Hermes has none of these, or no name by which they could be found.
  for (const kind of ['ImportExpression', 'MetaProperty', 'ImportDeclaration']) {
    expect(kinds).not.toContain(kind);
  }
  const names = ['console', 'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'Float16Array', 'Intl'];
  const evaluate = bareRealm(names);
  // Versions of Hermes lack it.
  evaluate('delete Array.prototype.toReversed');
  expect(await found(evaluate, native.code)).toEqual(ALONE);
});
