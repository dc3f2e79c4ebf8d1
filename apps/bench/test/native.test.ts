import { makeKeys, runSeed } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import type { Definition } from '../src/inputs/definitions.js';
import { measure } from '../src/measure/runner.js';
import { comparisonOf } from '../src/references/comparison.js';
import {
  formatRequest,
  NativeProgram,
  nativeImplementations,
  parseTimes,
  parseVersions,
} from '../src/references/native.js';

const SEED = runSeed();
const random = testRandom();

const U32: Definition = { operation: 'sort', keyType: 'u32', length: 1000, distribution: 'random' };

describe('the lines to and from the native program', () => {
  it('ask for a sort', () => {
    expect(formatRequest('tbb::parallel_sort', { ...U32, length: 1e7 }, 2)).toBe(
      'sort tbb::parallel_sort u32 10000000 2\n',
    );
  });

  it('carry versions and times', () => {
    const versions = { compiler: 'g++ 12', highway: '1.0.3', tbb: '2021.8' };
    expect(parseVersions(JSON.stringify(versions))).toEqual(versions);
    expect(parseTimes('{"copyIn":0.25,"sort":2.5e-05,"copyOut":0}')).toEqual({
      copyIn: 0.25,
      sort: 0.000025,
      copyOut: 0,
    });
  });

  it.each([
    ['{"error":"the file has too few keys"}', 'the native program says: the file has too few keys'],
    ['{"copyIn":0.25,"sort":2}', 'instead of its times'],
    ['{"copyIn":0.25,"sort":-2,"copyOut":1}', 'instead of its times'],
    ['{"copyIn":"a","sort":2,"copyOut":1}', 'instead of its times'],
    ['null', "says 'null' instead of its times"],
    ['Segmentation fault', "says 'Segmentation fault' instead of its times"],
    ['', "says '' instead of its times"],
  ])('are no times: %s', (line, message) => {
    expect(() => parseTimes(line)).toThrow(message);
  });

  it.each(['{"compiler":"g++ 12"}', '[]', 'usage: native FILE'])('are no versions: %s', (line) => {
    expect(() => parseVersions(line)).toThrow(`says '${line}' instead of its versions`);
  });
});

/** A program with the native one's protocol; `answer` is its code for the random of a line. */
const programOf = (answer: string): [string, ...string[]] => [
  process.execPath,
  '--input-type=module',
  '--eval',
  `import { openSync, readSync, writeSync } from 'node:fs';
  import { createInterface } from 'node:readline';
  const file = openSync(process.argv[1], 'r+');
  console.log('{"compiler":"none","highway":"0","tbb":"0"}');
  for await (const line of createInterface({ input: process.stdin })) {
    const [operation, algorithm, keyType, length, threads] = line.split(' ');
    ${answer}
  }`,
];

const SORTS = `
  const keys = new Uint32Array(Number(length));
  readSync(file, keys, 0, keys.byteLength, 0);
  if (algorithm !== 'vqsort') keys.sort();
  writeSync(file, keys, 0, keys.byteLength, 0);
  console.log(JSON.stringify({ copyIn: 1, sort: Number(threads), copyOut: 3 }));`;

describe(`NativeProgram (seed ${SEED})`, () => {
  const keys = () => makeKeys('u32', 1000, 'random', random);

  it('sorts one request after the other', async () => {
    const program = await NativeProgram.start(programOf(SORTS));
    try {
      expect(program.versions.compiler).toBe('none');
      const comparison = comparisonOf(nativeImplementations(program, 2), U32, random);
      const one = { ...comparison, samples: 2, warmUps: 1 };
      const results = one.resultsOf?.(await measure(one)) ?? [];
      expect(
        results.map(({ implementation, threads, milliseconds, fault }) => [
          implementation,
          threads,
          milliseconds,
          fault?.slice(0, 8),
        ]),
      ).toEqual([
        ['std::sort', 1, [1, 1], undefined],
        ['vqsort', 1, [], 'element '],
        ['tbb::parallel_sort', 2, [2, 2], undefined],
        ['C++ radix', 2, [2, 2], undefined],
      ]);
      expect(results[0]).toMatchObject({ copyIn: [1, 1], copyOut: [3, 3] });
    } finally {
      await program.close();
    }
  });

  it.each([
    ['console.log(\'{"error":"no such ALGORITHM"}\');', 'says: no such ALGORITHM'],
    ['process.exit(3);', 'the native program has ended'],
    ['process.kill(process.pid, "SIGKILL");', 'the native program has ended'],
  ])('rejects after %s', async (answer, message) => {
    const program = await NativeProgram.start(programOf(answer));
    await expect(program.sort('radix', U32, keys(), 1)).rejects.toThrow(message);
    await program.close();
  });

  it.each([
    [['/no/such/program'], 'ENOENT'],
    [[process.execPath, '--eval', ''], 'the native program has ended'],
    [[process.execPath, '--eval', 'console.log("hello")'], "says 'hello' instead of its versions"],
  ] as [[string, ...string[]], string][])('does not start %j', async (command, message) => {
    await expect(NativeProgram.start(command)).rejects.toThrow(message);
  });
});
