/**
 * Plants chosen faults one by one, and sees that the tests find each:
 *
 *   npm run test:mutate -- [--only TEXT]… [--package P] [--jobs N] [--seed S] [--check]
 *
 * A fault has a name, a file, the text before and after, and test files of `npm test`. They stand
 * in tools/faults/tables, and an app may have a table of its own, `faults.mjs`. All named test
 * files must pass without a fault first. Then each fault is planted in a copy of the checkout, in a
 * temporary folder. It is caught when that copy builds and a test then fails. Prints a line for
 * each, and ends with exit code 1 if one survived that has no reason for it.
 *
 * `--only` takes faults whose name contains one of the texts, `--package` the faults of one table
 * or of one app. `--check` only looks whether each text stands in its file exactly once.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Copy, copyCheckout, run } from './copy.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TABLES = join(ROOT, 'tools/faults/tables');
const APPS = join(ROOT, 'apps');

const text = { type: 'string' };
const { values: options } = parseArgs({
  options: {
    only: { ...text, multiple: true },
    package: text,
    jobs: text,
    seed: { ...text, default: '1' },
    check: { type: 'boolean' },
  },
});
const jobs = Number(options.jobs ?? Math.max(1, Math.floor(availableParallelism() / 2)));
if (!(Number.isInteger(jobs) && jobs > 0))
  throw new RangeError('--jobs takes a number of 1 or more');

/** All faults, each with the name of its table as its package. */
async function readTables() {
  const names = readdirSync(TABLES).sort();
  const files = names.map((name) => [name.replace('.mjs', ''), join(TABLES, name)]);
  // An app may have a table of its own.
  const apps = readdirSync(APPS).map((name) => [name, join(APPS, name, 'faults.mjs')]);
  const found = [...files, ...apps.filter(([, file]) => existsSync(file))];
  const tables = found.map(async ([packageName, file]) => {
    const { default: faults } = await import(pathToFileURL(file).href);
    return faults.map((fault) => ({ package: packageName, ...fault }));
  });
  return (await Promise.all(tables)).flat();
}

/** What is wrong with a fault as it stands in its table; undefined if nothing is. */
function problemOf({ file, before, after, tests }) {
  if (!existsSync(join(ROOT, file))) return `there is no file ${file}`;
  const times = readFileSync(join(ROOT, file), 'utf8').split(before).length - 1;
  if (times !== 1) return `its text stands in ${file} ${times} times, and not once`;
  if (before === after) return 'it changes nothing';
  const missing = tests.find((test) => !existsSync(join(ROOT, test)));
  return missing && `there is no test file ${missing}`;
}

/** The project of vitest.config.ts that runs a test file. */
function projectOf(test) {
  if (test.endsWith('.browser.test.ts')) return 'browser';
  return /^packages\/webgpu\/.*(?<!stages)\.test/.test(test) ? 'gpu' : 'node';
}

/**
 * Runs test files in `folder`, project by project; with `bail` up to the first failure. Resolves to
 * the files as the reporter lists them, and to whether they took too long.
 */
async function runTests(folder, tests, { bail, limit }) {
  const files = [];
  let output = '';
  for (const project of new Set(tests.map(projectOf))) {
    const projectTests = tests.filter((test) => projectOf(test) === project);
    const ended = await runProject(folder, project, projectTests, { bail, limit });
    files.push(...ended.files);
    output += ended.output;
    if (ended.isOver) return { files, output, isOver: true };
    if (bail > 0 && ended.files.some(({ status }) => status === 'failed')) break;
  }
  return { files, output, isOver: false };
}

/** Runs test files of one project: Vitest may refuse to run several at once. */
async function runProject(folder, project, tests, { bail, limit }) {
  const report = join(folder, 'report.json');
  await rm(report, { force: true });
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const args = ['run', '--project', project, '--reporter', 'json', '--outputFile', report];
  const command = [process.execPath, vitest, ...args, `--bail=${bail}`, ...tests];
  const env = { KEYSWEEP_SEED: options.seed };
  const { code, output } = await run(folder, command, { env, limit });
  const found = existsSync(report) ? JSON.parse(await readFile(report, 'utf8')).testResults : [];
  return { files: found, output, isOver: code === undefined };
}

const failedIn = (files) =>
  files.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed'),
  );

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(0)} s`;

/** Sees that the test files pass without a fault. Returns the milliseconds of each. */
async function seeGreen(copy, tests) {
  const times = new Map();
  const { files, output } = await runTests(copy.folder, tests, { bail: 0, limit: 3_600_000 });
  for (const { name, startTime, endTime, status, message } of files) {
    const test = tests.find((path) => name.endsWith(path));
    if (test === undefined) continue;
    times.set(test, endTime - startTime);
    if (status === 'passed') continue;
    const [failed] = failedIn(files.filter((file) => file.name === name));
    throw new Error(`${test} fails without a fault: ${failed?.fullName ?? message}`);
  }
  const missing = tests.find((test) => !times.has(test));
  if (missing !== undefined) throw new Error(`${missing} was not run:\n${output}`);
  return times;
}

/** What the tests make of a fault: `{ isCaught, why }`. */
async function tryFault(copy, { file, before, after, tests }, times) {
  const source = await copy.read(file);
  try {
    const failure = await copy.change(
      file,
      source.replace(before, () => after),
    );
    if (failure !== undefined) return { isCaught: false, why: `it does not build: ${failure}` };
    const usual = tests.reduce((sum, test) => sum + times.get(test), 0);
    const limit = 60_000 + 5 * usual;
    const { files, isOver, output } = await runTests(copy.folder, tests, { bail: 1, limit });
    const [failed] = failedIn(files);
    if (failed !== undefined) return { isCaught: true, why: `"${failed.fullName}"` };
    if (isOver) return { isCaught: false, why: `its tests hang (${seconds(limit)})` };
    const broken = files.find(({ status }) => status === 'failed');
    if (broken !== undefined) return { isCaught: false, why: `no test ran: ${broken.message}` };
    if (files.length === 0) return { isCaught: false, why: `no test ran: ${output}` };
    return { isCaught: false, why: `all tests pass: ${tests.join(', ')}` };
  } finally {
    await copy.restore(file);
  }
}

const all = await readTables();
const problems = all.flatMap((fault) => {
  const problem = problemOf(fault);
  return problem === undefined ? [] : [`${fault.package}: ${fault.name}: ${problem}`];
});
const names = all.map(({ name }) => name);
problems.push(
  ...names.filter((name, i) => names.indexOf(name) < i).map((name) => `two are called: ${name}`),
);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
if (options.check) process.exit();

const wanted = all.filter(
  (fault) =>
    (options.only ?? ['']).some((text) => fault.name.includes(text)) &&
    (options.package ?? fault.package) === fault.package,
);
if (wanted.length === 0) throw new RangeError('no fault has this name and package');
const folder = await mkdtemp(join(tmpdir(), 'keysweep-faults-'));
let [caught, survived, unexpected] = [0, 0, 0];
try {
  const pristine = join(folder, 'pristine');
  await mkdir(pristine);
  await copyCheckout(ROOT, pristine);
  const count = Math.min(jobs, wanted.length);
  const copies = await Promise.all(
    Array.from({ length: count }, (_, i) => Copy.of(pristine, join(folder, `copy-${i}`))),
  );
  const tests = [...new Set(wanted.flatMap((fault) => fault.tests))];
  const times = await seeGreen(copies[0], tests);
  console.log(`${tests.length} test files pass without a fault, seed ${options.seed}`);
  const queue = [...wanted];
  await Promise.all(
    copies.map(async (copy) => {
      for (let fault = queue.shift(); fault !== undefined; fault = queue.shift()) {
        const start = performance.now();
        const { isCaught, why } = await tryFault(copy, fault, times);
        const { name, survives } = fault;
        if (isCaught) caught++;
        else survived++;
        // A reason that no longer holds has to go.
        const isExpected = isCaught === (survives === undefined);
        if (!isExpected) unexpected++;
        const said = !isCaught && isExpected ? survives : why;
        const outcome = isCaught ? 'caught  ' : 'SURVIVED';
        const mark = isExpected ? '' : isCaught ? ' (though its table says that it survives)' : '';
        const time = seconds(performance.now() - start);
        console.log(`${outcome} ${fault.package}: ${name}${mark}: ${said} (${time})`);
      }
    }),
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(`${caught} caught, ${survived} survived`);
process.exitCode = unexpected > 0 ? 1 : 0;
