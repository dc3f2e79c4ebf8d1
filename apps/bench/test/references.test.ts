import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Random, runSeed } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Definition, nameOf } from '../src/inputs/definitions.js';
import { compareSorts, type Implementation, type Timing } from '../src/references/comparison.js';
import { DEFINITIONS, LARGE } from '../src/references/definitions.js';
import { builtinImplementation, inProcess } from '../src/references/in-process.js';
import { loadPeers, PEERS } from '../src/references/peers.js';
import { formatTimings, recordedTimings } from '../src/references/timings.js';

const SEED = runSeed();
const random = new Random(SEED);

const definitionOf = (
  operation: Definition['operation'],
  keyType: Definition['keyType'],
  length = 500,
): Definition => ({ operation, keyType, length, distribution: 'random' });

const U32 = definitionOf('sort', 'u32');

describe(`compareSorts (seed ${SEED})`, () => {
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
  const counts = { samples: 3, warmUps: 2 };

  it('gives all the same fresh input each round, in turns; counts no warm-ups', async () => {
    const seen: string[] = [];
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const implementations = names.map((name) => right(name, seen));
    const timings = await compareSorts(implementations, U32, { samples: 9, warmUps: 2 }, random);
    expect(timings.map(({ milliseconds }) => milliseconds.length)).toEqual([9, 9, 9, 9, 9, 9]);
    const rounds = Array.from({ length: 11 }, (_, i) => seen.slice(6 * i, 6 * i + 6));
    const orders = rounds.map((round) => round.map((call) => call[0]).join(''));
    const inputs = rounds.map((round) => new Set(round.map((call) => call.slice(2))));
    for (const order of orders) expect([...order].sort()).toEqual(names);
    expect(new Set(orders).size).toBeGreaterThan(1);
    for (const input of inputs) expect(input.size).toBe(1);
    expect(new Set(inputs.map((input) => [...input][0])).size).toBe(11);
  });

  it('leaves out what was wrong, has failed, or does not take such input', async () => {
    let calls = 0;
    const wrongAtLast = inProcess(
      'wrong',
      1,
      (_, keys) => {
        keys.sort();
        if (++calls === 4) [keys[0], keys[499]] = [keys[499] as never, keys[0] as never];
        return keys;
      },
      always,
    );
    const failing = inProcess(
      'failing',
      1,
      () => {
        throw new Error('too long');
      },
      always,
    );
    const other = { ...right('other'), takes: () => false };
    const timings = await compareSorts(
      [right('right'), wrongAtLast, failing, other],
      U32,
      counts,
      random,
    );
    expect(timings.map(({ implementation }) => implementation.name)).toEqual([
      'right',
      'wrong',
      'failing',
    ]);
    expect(timings.map(({ fault }) => fault)).toEqual([
      undefined,
      expect.stringMatching(/^element 0 is \d+ .* instead of \d+ /),
      'failed: too long',
    ]);
    expect(calls).toBe(4);
  });

  it.each([
    ['argsort', 'f32'],
    ['sort', 'u64'],
    ['sort', 'f64'],
  ] as const)('knows a right %s of %s', async (operation, keyType) => {
    const [timing] = await compareSorts(
      [builtinImplementation()],
      definitionOf(operation, keyType),
      counts,
      random,
    );
    expect(timing?.fault).toBe(undefined);
  });

  it('knows a permutation that is not one', async () => {
    const identity = inProcess(
      'x',
      1,
      (_, { length }) => Uint32Array.from({ length }, (_, i) => i),
      always,
    );
    const [timing] = await compareSorts([identity], definitionOf('argsort', 'f32'), counts, random);
    expect(timing?.fault).toMatch(/^row \d+ at \d+ comes before row \d+/);
  });
});

describe('the comparison', () => {
  it('has definitions with names of their own', () => {
    const names = [...DEFINITIONS, ...LARGE].map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('sort u32 6.4e7 random');
  });

  it('is a table, with the ratio to the first', () => {
    const timing = (name: string, more: Partial<Timing>): Timing => ({
      implementation: { ...builtinImplementation(), name, threads: 2 },
      milliseconds: [1, 9, 2],
      copyIn: [],
      copyOut: [],
      fault: undefined,
      ...more,
    });
    const definition = definitionOf('sort', 'f64', 1e6);
    const timings = [
      timing('ours', {}),
      timing('theirs', { milliseconds: [8, 7, 9], copyIn: [0.2, 0.1, 9], copyOut: [0.3] }),
      timing('wrong', { fault: 'element 3 is 1 instead of 2' }),
      timing('dead', { fault: 'failed: it has ended', milliseconds: [] }),
    ];
    const cells = formatTimings(definition, timings)
      .split('\n')
      .slice(2)
      .map((line) => line.trim().split(/ {2,}/));
    expect(cells).toEqual([
      ['ours', '2', '2.00 ms', '500', '1.00x', 'yes'],
      ['theirs', '2', '8.00 ms', '125', '4.00x', '500 µs', 'yes'],
      ['wrong', '2', 'wrong: element 3 is 1 instead of 2'],
      ['dead', '2', 'failed: it has ended'],
    ]);
    const records = recordedTimings(definition, timings);
    expect(records[0]).toEqual({
      ...definition,
      implementation: 'ours',
      threads: 2,
      milliseconds: [1, 9, 2],
      verified: true,
    });
    expect(records[1]).toMatchObject({ copyIn: [0.2, 0.1, 9], copyOut: [0.3], verified: true });
    expect(records[2]).toMatchObject({ verified: false, fault: 'element 3 is 1 instead of 2' });
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
    const rows = stdout.split('\n').filter((line) => /^(keysweep|built-in) /.test(line));
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row).toMatch(/^\S+ +[12] +[\d.,]+ .s +[\d.]+ +[\d.]+x +yes$/);
    }
    // Each group of others is there, or its reason.
    expect(stdout).toMatch(/^(vqsort |Without native: )/m);
    expect(stdout).toMatch(/^(polars |Without polars: )/m);
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
      for (const { implementation, fault } of await compareSorts(
        peers.implementations,
        definition,
        few,
        random,
      )) {
        faults[`${implementation.name}: ${operation} ${keyType}`] = fault;
      }
    }
    expect(faults).toEqual({
      'radixsort: sort u32': undefined,
      'radixsort: sort f64': undefined,
      'hpc-algorithms: sort u32': expect.stringMatching(/^element \d+ is /),
      'three SortUtils: sort u32': undefined,
      'three SortUtils: argsort f32': undefined,
    });
  });

  it('says what to do where none is installed', async () => {
    const { implementations, absent } = await loadPeers(1, pathToFileURL(`${folder}/nowhere/`));
    expect(implementations).toEqual([]);
    expect(Object.keys(absent)).toEqual(PEERS.map(({ name }) => name));
    expect(absent.radixsort).toBe('not installed: npm run build:references');
  });
});
