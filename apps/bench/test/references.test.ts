import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runSeed } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { type Definition, nameOf } from '../src/inputs/definitions.js';
import { measure } from '../src/measure/runner.js';
import { comparisonOf, type Implementation } from '../src/references/comparison.js';
import { DEFINITIONS, LARGE } from '../src/references/definitions.js';
import { builtinImplementation, inProcess } from '../src/references/in-process.js';
import { loadPeers, PEERS } from '../src/references/peers.js';

const SEED = runSeed();
const random = testRandom();

const definitionOf = (
  operation: Definition['operation'],
  keyType: Definition['keyType'],
  length = 500,
): Definition => ({ operation, keyType, length, distribution: 'random' });

const U32 = definitionOf('sort', 'u32');

/** What is recorded of implementations that sort by turns. */
async function resultsOf(
  implementations: readonly Implementation[],
  definition: Definition,
  counts = { samples: 3, warmUps: 1 },
) {
  const one = { ...comparisonOf(implementations, definition, random), ...counts };
  return one.resultsOf?.(await measure(one)) ?? [];
}

describe(`comparisonOf (seed ${SEED})`, () => {
  const always = () => true;
  const right = (name: string, seen: unknown[] = []): Implementation =>
    inProcess(
      name,
      1,
      (_, keys) => {
        seen.push(`${name} ${keys[0]}`);
        return keys.sort();
      },
      always,
    );
  it('gives all the same fresh input each round', async () => {
    const seen: string[] = [];
    const names = ['a', 'b', 'c'];
    const implementations = names.map((name) => right(name, seen));
    await resultsOf(implementations, U32, { samples: 9, warmUps: 2 });
    const rounds = Array.from({ length: 11 }, (_, i) => seen.slice(3 * i, 3 * i + 3));
    const inputs = rounds.map((round) => new Set(round.map((call) => call.slice(2))));
    for (const input of inputs) expect(input.size).toBe(1);
    expect(new Set(inputs.map((input) => [...input][0])).size).toBe(11);
  });

  it('leaves out what does not take such input, and says what was wrong', async () => {
    const wrong = inProcess(
      'wrong',
      1,
      (_, keys) => {
        keys.sort();
        [keys[0], keys[499]] = [keys[499] as never, keys[0] as never];
        return keys;
      },
      always,
    );
    const other = { ...right('other'), takes: () => false };
    const results = await resultsOf([right('right'), wrong, other], U32);
    expect(results).toEqual([
      {
        ...U32,
        ...{ implementation: 'right', threads: 1, verified: true },
        milliseconds: [1, 2, 3].map(() => expect.any(Number)),
      },
      {
        ...U32,
        ...{ implementation: 'wrong', threads: 1, verified: false, milliseconds: [] },
        fault: expect.stringMatching(/^element \d+/),
      },
    ]);
  });

  it('keeps what a program with memory of its own says of its copies', async () => {
    const own: Implementation = {
      ...right('own'),
      async sort(_, keys) {
        return { milliseconds: 5, copies: { in: 0.5, out: 0.25 }, result: keys.sort() };
      },
    };
    const [result] = await resultsOf([own], U32);
    expect(result).toMatchObject({
      ...{ milliseconds: [5, 5, 5], copyIn: [0.5, 0.5, 0.5], copyOut: [0.25, 0.25, 0.25] },
    });
  });

  it.each([
    ['argsort', 'f32'],
    ['sort', 'u64'],
    ['sort', 'f64'],
  ] as const)('knows a right %s of %s', async (operation, keyType) => {
    const [result] = await resultsOf([builtinImplementation()], definitionOf(operation, keyType));
    expect(result?.fault).toBe(undefined);
  });

  it('knows a permutation that is not one', async () => {
    const identity = inProcess(
      'x',
      1,
      (_, { length }) => Uint32Array.from({ length }, (_, i) => i),
      always,
    );
    const [result] = await resultsOf([identity], definitionOf('argsort', 'f32'));
    expect(result?.fault).toMatch(/^row \d+ at \d+ comes before row \d+/);
  });
});

describe('the comparison', () => {
  it('has definitions with names of their own', () => {
    const names = [...DEFINITIONS, ...LARGE].map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('sort u32 6.4e7 random');
  });

  it('runs with what is there', () => {
    const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));
    const args = [
      'references',
      '--only',
      'u32 1e5',
      '--samples',
      '1',
      '--seed',
      '5',
      '--threads',
      '2',
    ];
    const { status, stdout } = spawnSync(process.execPath, [program, ...args], {
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    const rows = stdout
      .split('\n')
      .filter((line) => /^sort u32 1e5 random +(keysweep|built-in),/.test(line));
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row).toMatch(/, [12] threads? +[\d.,]+ .s +[\d.]+x +[\d.]+ +yes$/);
    }
    // Each group of others is there, or its reason.
    expect(stdout).toMatch(/^(.* vqsort, |Without native: )/m);
    expect(stdout).toMatch(/^(.* polars, |Without polars: )/m);
  });
});

describe('loadPeers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keysweep-peers-'));
  const install = (name: string, files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, 'node_modules', name, path);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, text);
    }
  };
  beforeAll(() => {
    install('radixsort', {
      'package.json': '{ "version": "1.2.3" }',
      'index.js':
        'exports.radixsort = () => (keys, other) => { other.set(keys); return other.sort(); };',
    });
    install('hpc-algorithms', {
      'package.json': '{ "version": "4.5.6", "main": "script.js" }',
      'script.js': 'var HpcAlgorithms = { Sorting: { RadixSortLsdUInt32: (keys) => keys } };',
    });
    install('three', {
      'package.json':
        '{ "version": "7.8.9", "exports": { "./addons/*": "./*" }, "type": "module" }',
      'utils/SortUtils.js':
        'export const radixSort = (items, { get = (i) => i }) => items.sort((a, b) ' +
        '=> get(a) - get(b));',
    });
    install('nodejs-polars', {
      'package.json': '{ "version": "0.1.2" }',
      'index.js': 'throw new Error("no polars for this machine");',
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('calls packages by their interfaces, and says why one is missing', async () => {
    const peers = await loadPeers(2, pathToFileURL(`${folder}/`));
    expect(peers.versions).toEqual({
      radixsort: '1.2.3',
      'hpc-algorithms': '4.5.6',
      three: '7.8.9',
    });
    expect(peers.absent).toEqual({ polars: 'does not load: no polars for this machine' });
    const faults: Record<string, string | undefined> = {};
    const few = { samples: 1, warmUps: 0 };
    for (const [operation, keyType] of [
      ['sort', 'u32'],
      ['sort', 'f64'],
      ['argsort', 'f32'],
    ] as const) {
      const definition = definitionOf(operation, keyType);
      for (const { implementation, fault } of await resultsOf(
        peers.implementations,
        definition,
        few,
      )) {
        faults[`${implementation}: ${operation} ${keyType}`] = fault;
      }
    }
    expect(faults).toEqual({
      'radixsort: sort u32': undefined,
      'radixsort: sort f64': undefined,
      'hpc-algorithms: sort u32': expect.stringMatching(/^element \d+/),
      'three SortUtils: sort u32': undefined,
      'three SortUtils: argsort f32': undefined,
    });
  });

  it('says what to do if none is installed', async () => {
    const { implementations, absent } = await loadPeers(1, pathToFileURL(`${folder}/nowhere/`));
    expect(implementations).toEqual([]);
    expect(Object.keys(absent)).toEqual(PEERS.map(({ name }) => name));
    expect(absent.radixsort).toBe('not installed: npm run build:references');
  });
});
