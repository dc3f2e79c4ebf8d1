/** What is left of a sort once it is over, however it ended: no open file, and no thread. */

import { execFile } from 'node:child_process';
import { symlinkSync, truncateSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { expect, it } from 'vitest';
import { fewer } from '../../../tools/test/draw-tests.js';
import { scratch } from './scratch.js';

const SEED = runSeed();
const { path, write } = scratch();

/** Numbers that threads divide and sort, in memory for nine tenths of them. */
const LENGTH = 11e6;
const MEMORY = 40e6;
/** In which a sort may end; a quick run draws some of them. */
const WAYS = 16;

/**
 * Sorts by a sorter of each call's own, ends each in its way twice, and prints what there is
 * more than before. Linux alone tells which files are open.
 */
const PROGRAM = `
  import { readdirSync } from 'node:fs';
  import { sortFile } from '../dist/index.js';
  const [input, output, short, link, astray] = process.argv.slice(1);
  let threads = 0;
  process.on('worker', (worker) => {
    threads++;
    worker.once('exit', () => threads--);
  });
  const open = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);
  const OPTIONS = { type: 'u32', memory: ${MEMORY} };
  const all = { ...OPTIONS, memory: ${16 * LENGTH} };
  const aborted = (wanted) => {
    const controller = new AbortController();
    const onProgress = ({ phase }) => {
      if (phase === wanted) controller.abort(new Error('enough'));
    };
    return sortFile(input, output, { ...OPTIONS, signal: controller.signal, onProgress });
  };
  const breaking = async function* () {
    // More than is held in memory: it is in a file by then.
    for (let i = 0; i < 10; i++) yield new Uint8Array(1e6);
    throw new Error('it broke off');
  };
  const full = { write: () => Promise.reject(new Error('it is full')) };
  const onProgress = () => { throw new Error('it does not like it'); };
  const ways = {
    'is done in parts': () => sortFile(input, output, OPTIONS),
    'is done at once': () => sortFile(input, output, all),
    'is done at once to a file that links lead to': () => sortFile(input, link, all),
    'is aborted in its sample': () => aborted('sample'),
    'is aborted while it divides': () => aborted('partition'),
    'is aborted while it sorts parts': () => aborted('sort'),
    'has a second input that is cut off': () => sortFile([input, short], output, OPTIONS),
    'has an input that is not there': () => sortFile([input, short + '?'], output, OPTIONS),
    'has an input that is a folder': () => sortFile([input, '.'], output, OPTIONS),
    'has a stream that breaks off': () => sortFile(breaking(), output, OPTIONS),
    'has an output that is full': () => sortFile(input, full, OPTIONS),
    'has an output that is a folder': () => sortFile(input, '.', OPTIONS),
    'has an output with the name of a folder': () => sortFile(input, output + '/', OPTIONS),
    'has an output that a link leads astray': () => sortFile(input, astray, OPTIONS),
    'has a folder that takes no temporary ones': () =>
      sortFile(input, output, { ...OPTIONS, tmp: '/proc' }),
    'has a callback that throws': () => sortFile(input, output, { ...OPTIONS, onProgress }),
  };
  // Node itself opens files when it first works on some.
  await ways['is done in parts']();
  const left = {};
  const drawn = JSON.parse(process.argv[6]);
  for (const [name, way] of Object.entries(ways).filter((_, i) => drawn.includes(i))) {
    const before = open();
    const ends = [];
    for (let i = 0; i < 2; i++) ends.push(await way().then(() => 'done', () => 'failed'));
    left[name] = { ends: [...new Set(ends)].join(), files: open() - before, threads };
  }
  console.log(JSON.stringify(left));
`;

it(`nothing (KEYSWEEP_SEED=${SEED})`, async () => {
  const numbers = new Random(SEED).fill(new Uint32Array(LENGTH));
  const input = write('in', numbers);
  const short = write('short', numbers.subarray(0, 100));
  truncateSync(short, 399);
  symlinkSync('next', path('link'));
  symlinkSync('out', path('next'));
  symlinkSync('gone/out', path('astray'));
  const paths = [input, path('out'), short, path('link'), path('astray')];
  const drawn = fewer(sample([...Array(WAYS).keys()], 8, SEED), 4, SEED);
  const args = ['--input-type=module', '--eval', PROGRAM, ...paths, JSON.stringify(drawn)];
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  const left = Object.entries(JSON.parse(stdout) as Record<string, object>);
  expect(left.length).toBe(drawn.length);
  for (const [name, found] of left) {
    const ends = name.startsWith('is done') ? 'done' : 'failed';
    expect(found, `a sort that ${name}`).toEqual({ ends, files: 0, threads: 0 });
  }
}, 120_000);
