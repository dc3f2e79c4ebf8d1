/** What the site says of a name in a block of code, when it is pointed at. */

import { expect, it } from 'vitest';
import type { Block } from '../blocks/code-blocks.js';
import { readTypes } from '../types.js';

const blockOf = (code: string, file: string): Block => ({
  place: `docs/rows.md:${code.length}`,
  file,
  code,
  notRun: undefined,
});

const code = `import { sort } from 'keysweep';
const depths = Float32Array.of(2, 1);
console.log(await sort(depths, { order: 'descending' }), await argsort(keys));
`;
const blocks = readTypes([
  blockOf(code, 'one.mjs'),
  blockOf("await import('./one.mjs');", 'two.mjs'),
]);

/** All that is said of a name, wherever it stands. */
const saidOf = (name: string) =>
  (blocks.get('rows.md')?.[0]?.names ?? []).filter(({ from, to }) => code.slice(from, to) === name);

it('blocks stand by their page, with their code', () => {
  expect([...blocks.keys()]).toEqual(['rows.md']);
  expect(blocks.get('rows.md')?.map((block) => block.code)).toEqual([
    code.trimEnd(),
    "await import('./one.mjs');",
  ]);
});

it('a function of ours has its signature and the first words about it', () => {
  const [imported, called] = saidOf('sort');
  expect(imported?.type).toContain('sort: <K extends KeyArray>(keys: K, options?: SortOptions)');
  expect(called?.type).toContain(': Promise<Float32Array<ArrayBuffer>>');
  for (const said of [imported, called]) expect(said?.about).toMatch(/^Sorts .*array/);
});

it('so has one that blocks use without importing it', () => {
  const [said] = saidOf('argsort');
  expect(said?.type).toContain('Promise<');
  expect(said?.about).toMatch(/permutation/);
});

it('a variable has its type, an option its docstring', () => {
  expect(saidOf('depths').map(({ type }) => type)).toEqual([
    'const depths: Float32Array<ArrayBuffer>',
    'const depths: Float32Array<ArrayBuffer>',
  ]);
  expect(saidOf('order')[0]?.type).toContain('order');
});

it('nothing is said of names of the language, or that can be anything', () => {
  for (const name of ['console', 'log', 'Float32Array', 'keys']) expect(saidOf(name)).toEqual([]);
});
