/** A program's own flags are not for the threads and processes of a sort. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { fewer } from '../../../tools/test/draw-tests.js';
import { childFlags } from '../dist/run/processes/flags.js';
import { scratch } from './scratch.js';

const { path, write } = scratch();

const read = (name: string): Buffer => readFileSync(path(name));

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** A sort by threads that divide, one by processes, and one of an array by threads. */
const BODY = `
  const memory = 2 ** 25;
  await sortFile(input, output, { type: 'u32', memory });
  await sortFile(input, byProcesses, { type: 'u32', memory, processes: [{ threads: 1 }] });
  const keys = Uint32Array.from({ length: 200_000 }, (_, i) => Math.imul(i, 2654435761));
  const expected = keys.slice().sort();
  const warnings = [];
  const onWarning = ({ code }) => warnings.push(code);
  const backends = [cpu({ threads: 2, threadsFrom: 1 })];
  const sorter = await createSorter({ backends, onWarning });
  await sorter.sort(keys);
  await sorter.close();
  const isSorted = keys.every((key, i) => key === expected[i]);
  console.log(JSON.stringify({ isSorted, warnings }));
`;

const NAMES = ['{ sortFile }', '{ createSorter }', '{ cpu }'];
const PACKAGES = ['@keysweep/external', 'keysweep', '@keysweep/cpu'];

const asModule = (values: string): string =>
  NAMES.map((name, i) => `import ${name} from '${PACKAGES[i]}';`).join('\n') + values + BODY;

const asScript = (values: string): string =>
  NAMES.map((name, i) => `const ${name} = require('${PACKAGES[i]}');`).join('\n') +
  `${values} (async () => { ${BODY} })();`;

describe('a program that sorts more than the memory', () => {
  const keys = new Random(runSeed()).fill(new Uint32Array(3 * 2 ** 22));
  const sorted = Buffer.from(keys.slice().sort().buffer);

  const starts = [
    ['--input-type=module -e', ['--input-type=module', '-e'], asModule],
    ['--input-type module --eval', ['--input-type', 'module', '--eval'], asModule],
    ['-p', ['-p'], asScript],
    ['-e, with more flags', ['--no-warnings', '--max-old-space-size=900', '-e'], asScript],
    ['--import', ['--import', 'data:text/javascript,', '--input-type=module', '-e'], asModule],
    ['--conditions', ['-C', 'development', '--input-type=module', '-e'], asModule],
    ['--inspect', ['--inspect=127.0.0.1:0', '-e'], asScript],
    ['--test-reporter', ['--test-reporter=spec', '-e'], asScript],
  ] as const;

  it.each(fewer(sample(starts, 2), 1))('may be started by %s', (_, flags, programOf) => {
    const input = write('in', Buffer.from(keys.buffer));
    const paths = { input, output: path('out'), byProcesses: path('out2') };
    const values = Object.entries(paths)
      .map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`)
      .join('\n');
    const run = spawnSync(process.execPath, [...flags, programOf(`\n${values}\n`)], {
      cwd: HERE,
      encoding: 'utf8',
    });
    const [printed] = run.stdout.split('\n').filter((line) => line.startsWith('{"is'));
    expect({ printed, stderr: run.stderr.replace(/^Debugger .*\nFor help.*\n/, '') }).toEqual({
      printed: '{"isSorted":true,"warnings":[]}',
      stderr: '',
    });
    expect(Buffer.compare(read('out'), sorted)).toBe(0);
    expect(Buffer.compare(read('out2'), sorted)).toBe(0);
  });
});

describe('flags of a process that another one starts', () => {
  it.each([
    [['--input-type=module', '-e', 'code'], []],
    [['--input-type', 'module', '--eval', 'code'], []],
    [['--max-old-space-size=900', '-p', '1 + 1'], ['--max-old-space-size=900']],
    [
      ['--stack-size', '900', '-pe', '1'],
      ['--stack-size', '900'],
    ],
    [['--inspect=0', '--inspect-brk', '--inspect-port', '1', '--watch', '--watch-path', 'a'], []],
    [['--test', '--test-name-pattern', 'a', '--test-only', '--use-system-ca'], ['--use-system-ca']],
    [['-r', './a.cjs', '--import', './a.mjs', '--loader=a', '--jitless'], ['--jitless']],
    [
      ['--permission', '--allow-fs-read=/tmp'],
      ['--permission', '--allow-fs-read=/tmp'],
    ],
  ])('of %j are %j', (given, expected) => {
    expect(childFlags(given)).toEqual(expected);
  });
});
