/**
 * Judges records of benchmarks, so that one that somebody sends can be believed:
 *
 *   node tools/checks/records.mjs [FILE…]
 *
 * Without a file it judges all of apps/bench/records, with their names. It prints all faults,
 * and then exits with 1. There are two programs that write records, `npm run bench` and the
 * comparison page: `casesOf` reads both alike.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../apps/bench/records/', import.meta.url));

const NAME = /^([a-z0-9]+(?:-[a-z0-9]+)*)\/(\d{4}-\d\d-\d\d)-[a-z0-9]+(?:-[a-z0-9]+)*\.json$/;
const PAGE = 'keysweep-compare/1';
/** The page's word for keys that are not drawn, but a column of somebody's file. */
const COLUMN = 'column';
/** The page's series, as its settings.ts has them: this file also runs if nothing is built. */
export const SERIES = ['builtin', 'cpu', 'webgpu', 'resident', 'webgl2', 'auto'];

/**
 * Keys a second that no machine sorts: from an array to an array, and within a GPU's memory. There
 * equal keys of 32 bits take one read, at up to 4.8 TB/s.
 */
const MOST = { array: 2e10, resident: 1.2e12 };
/** Sums of phases are of medians: a little more than the slowest sample is possible. */
const SUM = 1.1;
/** A longer array takes longer, but for what a machine does beside. */
const GROWTH = 1 / 4;

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === 'string' && value.trim() !== '' && value !== 'unknown';
const isCount = (value, most) => Number.isInteger(value) && value > 0 && value <= most;
const isTime = (value) => typeof value === 'number' && Number.isFinite(value) && value > 0;
const isTimes = (value) => Array.isArray(value) && value.length > 0 && value.every(isTime);

const median = (samples) => {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/** See records.d.mts. */
export const isOfPage = (record) => record.format !== undefined || record.cells !== undefined;

/** See records.d.mts. */
export function casesOf(record) {
  return isOfPage(record) ? casesOfPage(record) : (record.results ?? []).flatMap(casesOfResult);
}

function casesOfResult(result) {
  const { operation, keyType, length, distribution = 'random', samples, calibrated } = result;
  const backend = result.backend ?? calibrated?.backend ?? 'auto';
  const ours = result.ours ?? samples?.[backend];
  const theirs = result.theirs ?? samples?.builtin;
  const isCase = [operation, keyType].every(isText) && isTimes(ours) && isTimes(theirs);
  if (!isCase || !Number.isInteger(length)) return [];
  const times = { ours: median(ours), theirs: median(theirs) };
  return [{ operation, keyType, distribution, length, backend, isReal: false, ...times }];
}

function casesOfPage({ settings, cells = [] }) {
  const { keyType, distribution, payload } = settings ?? {};
  const operation = { none: 'sort', indices: 'argsort' }[payload] ?? 'sortPairs';
  const isReal = distribution === COLUMN;
  // Beside a column, `sort` itself was measured, whatever backend it took.
  const isOurs = ({ series }) =>
    isReal ? series === 'auto' : !['builtin', 'resident'].includes(series);
  const measured = cells.filter(({ samples, software }) => isTimes(samples) && !software);
  return measured.flatMap(({ series, length, samples }) => {
    if (series !== 'builtin') return [];
    const [best] = measured
      .filter((cell) => cell.length === length && isOurs(cell))
      .map((cell) => ({ backend: cell.backend ?? cell.series, ours: median(cell.samples) }))
      .sort((a, b) => a.ours - b.ours);
    const theirs = median(samples);
    const one = { operation, keyType, length, isReal, theirs, ...best };
    return best ? [{ ...one, distribution: isReal ? 'a column of a file' : distribution }] : [];
  });
}

/** See records.d.mts. */
export function faultsOf(record) {
  if (!isObject(record)) return ['it is no object of JSON'];
  const faults = [];
  if (!isText(record.date) || Number.isNaN(Date.parse(record.date)))
    faults.push(`date is ${JSON.stringify(record.date)}: it has to be when the run began`);
  faults.push(...(isOfPage(record) ? faultsOfPage(record) : faultsOfBench(record)));
  return faults;
}

function faultsOfBench({ version, seed, machine, gpu, results }) {
  const faults = [];
  if (!isText(version)) faults.push('version is missing');
  if (!Number.isInteger(seed)) faults.push('seed is missing, which draws the same keys again');
  const { cpu, cores, memory, node, os } = machine ?? {};
  const isDescribed = [cpu, node, os].every(isText) && isCount(cores, 4096) && memory >= 2 ** 28;
  if (!isDescribed) faults.push('machine lacks cpu, cores, memory, node or os');
  if (!Array.isArray(results) || results.length === 0) return [...faults, 'results are missing'];
  for (const [i, result] of results.entries()) {
    const at = `results[${i}]`;
    if (!isObject(result)) faults.push(`${at} is no object`);
    else if (result.verified !== true) faults.push(`${at} was not verified, or was wrong`);
    else {
      for (const name of ['ours', 'theirs', 'milliseconds']) {
        const times = result[name];
        // A GPU's times are differences of two clocks: a single one may even be negative.
        const isWrong =
          gpu === undefined ? (time) => !isTime(time) : (time) => !Number.isFinite(time);
        if (Array.isArray(times) && times.some(isWrong))
          faults.push(`${at}.${name} has a time that is no number above 0`);
      }
      const kind = gpu === undefined ? 'array' : 'resident';
      faults.push(...faultsOfRates(at, result.length, [result.ours, result.theirs], kind));
    }
  }
  return faults;
}

function faultsOfPage({ format, whole, settings, facts, cells }) {
  const faults = [];
  if (format !== PAGE) faults.push(`format is ${JSON.stringify(format)}, not '${PAGE}'`);
  if (whole !== true) faults.push('the run was ended before it was whole');
  if (![settings?.keyType, settings?.payload, settings?.distribution].every(isText))
    faults.push('settings lack keyType, payload or distribution');
  const isDescribed = isText(facts?.browser) && isCount(facts?.threads, 4096);
  if (!isDescribed || !isObject(facts?.probes))
    faults.push('facts lack browser, threads or probes');
  if (!Array.isArray(cells) || cells.length === 0) return [...faults, 'cells are missing'];
  cells.forEach((cell, i) => {
    faults.push(...faultsOfCell(`cells[${i}]`, cell));
  });
  if (faults.length > 0) return faults;
  if (casesOfPage({ settings, cells }).length === 0)
    faults.push('no length has both the built-in sort and a backend');
  for (const series of SERIES) {
    const line = cells.filter((cell) => cell.series === series && cell.samples.length > 0);
    line.sort((a, b) => a.length - b.length);
    for (const [i, cell] of line.entries()) {
      const before = line[i - 1];
      if (before && median(cell.samples) < GROWTH * median(before.samples))
        faults.push(`${series}: ${cell.length} keys take far less than ${before.length}`);
    }
  }
  return faults;
}

function faultsOfCell(at, cell) {
  if (!isObject(cell) || !SERIES.includes(cell.series)) return [`${at} has no known series`];
  const { series, length, samples, calls, clock, verified, phases, fault } = cell;
  if (fault !== undefined) return [`${at} had a wrong result: ${fault}`];
  if (!isCount(length, 2 ** 28)) return [`${at}.length is no number of keys`];
  if (!Array.isArray(samples) || !samples.every(isTime))
    return [`${at}.samples has a time that is no number above 0`];
  if (samples.length === 0) return [];
  const faults = [];
  if (!isCount(calls, 1e6) || !(verified >= samples.length))
    faults.push(`${at} has fewer verified sorts than samples`);
  const sum = isObject(phases) ? Object.values(phases).reduce((all, one) => all + one, 0) : 0;
  if (clock === 'host' && !(sum <= SUM * Math.max(...samples) + 0.1))
    faults.push(`${at}.phases are longer than its slowest sample`);
  const kind = series === 'resident' ? 'resident' : 'array';
  return [...faults, ...faultsOfRates(at, length, [samples], kind)];
}

function faultsOfRates(at, length, samples, kind) {
  const fast = samples.filter(isTimes).some((times) => length / median(times) > MOST[kind] / 1e3);
  return fast ? [`${at} says that ${length} keys were sorted faster than memory is`] : [];
}

/** See records.d.mts. */
export function machinesIn(readme) {
  const [ours = '', visitors = ''] = readme.split('## Machines of visitors');
  const rows = (text, isOurs) =>
    Array.from(text.matchAll(/^\| `([a-z0-9-]+)` \| (.+) \|$/gm), ([, name, description]) => [
      name,
      { description, isOurs },
    ]);
  return new Map([...rows(visitors, false), ...rows(ours, true)]);
}

/** See records.d.mts. */
export function faultsOfFile(name, text, machines) {
  const [, machine, day] = NAME.exec(name) ?? [];
  if (machine === undefined) return ['its name is not MACHINE/DATE-SUBCOMMAND.json'];
  const faults = [];
  if (!machines.has(machine))
    faults.push(`README.md of the records does not say what the machine \`${machine}\` is`);
  return [...faults, ...faultsOfText(text, day)];
}

/** The faults of a record's text, whose name says `day` if it has one. */
function faultsOfText(text, day = '') {
  try {
    const record = JSON.parse(text);
    const faults = faultsOf(record);
    if (isText(record?.date) && !record.date.startsWith(day))
      faults.push(`its name says ${day}, its date ${record.date}`);
    return faults;
  } catch (error) {
    return [`it is no JSON: ${error.message}`];
  }
}

/** The names of all records, and whatever else lies in folders beside them. */
const namesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const machines = machinesIn(readFileSync(join(FOLDER, 'README.md'), 'utf8'));
  const files = process.argv.slice(2);
  const judged = files.length > 0 ? files : namesIn(FOLDER).map((name) => join(FOLDER, name));
  for (const file of judged) {
    const text = readFileSync(file, 'utf8');
    const name = relative(FOLDER, file).split(sep).join('/');
    // A file that lies elsewhere has no name yet.
    const isPlaced = !name.startsWith('..');
    const faults = isPlaced ? faultsOfFile(name, text, machines) : faultsOfText(text);
    for (const fault of faults) {
      console.error(`${file}: ${fault}`);
      process.exitCode = 1;
    }
  }
  if (process.exitCode === undefined) console.log(`${judged.length} records are as they should be`);
}
