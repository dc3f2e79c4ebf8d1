/**
 * The benchmarks' program: `node apps/bench/dist/main.js SUBCOMMAND`, or `npm run bench --
 * SUBCOMMAND`.
 */

import { type Command, runAsProgram } from './program/command.js';

/** What a subcommand is for, in a line, and its file, which is loaded when it is called. */
type Entry = readonly [summary: string, load: () => Promise<{ command: Command }>];

/** The subcommands, as `help` lists them. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'on the CPU': {
    cpu: ['times keysweep and the built-in sort in turns', () => import('./suites/cpu.js')],
    demo: ['sorts a table of flights and random numbers', () => import('./suites/demo.js')],
    references: [
      'times the CPU backend and other programs in turns',
      () => import('./suites/references.js'),
    ],
    substitutes: [
      "times other libraries' sorts and the recipes in turns",
      () => import('./suites/substitutes.js'),
    ],
    tables: ['times tables, strings, frames and topK', () => import('./suites/tables.js')],
    names: ['times names in the order of a locale', () => import('./suites/names.js')],
    'first-sorts': [
      'times the first sort of processes or pages',
      () => import('./suites/first-sorts.js'),
    ],
    regret: ["times what 'auto' chooses and all backends", () => import('./commands/regret.js')],
  },
  'of files': {
    external: ['times the command and DuckDB beyond memory', () => import('./suites/external.js')],
    'table-files': [
      'times the command on tables, DuckDB and GNU sort',
      () => import('./suites/table-files.js'),
    ],
    'raw-files': [
      'times the command on numbers, in memory or not',
      () => import('./suites/raw-files.js'),
    ],
    duckdb: ['runs one statement, and prints its time', () => import('./commands/duckdb.js')],
  },
  'on a GPU': {
    gpu: ['times RadixSorter on buffers of the GPU', () => import('./commands/gpu.js')],
    'gpu-keys': [
      'writes files of keys as programs have them',
      () => import('./commands/gpu-keys.js'),
    ],
    'gpu-sort': [
      'times the webgpu backend on ordinary arrays',
      () => import('./suites/gpu-sort.js'),
    ],
    'gpu-tune': ['times other shapes of the chained scan', () => import('./commands/gpu-tune.js')],
    'gpu-check': [
      'checks the webgpu backend and RadixSorter',
      () => import('./commands/gpu-check.js'),
    ],
  },
  'in Chromium': {
    webgl2: ['checks the webgl2 backend', () => import('./commands/webgl2.js')],
    'compare-page': ['runs the comparison page', () => import('./commands/compare-page.js')],
  },
  'for hours': {
    soak: ['makes random calls with aborts and faults', () => import('./commands/soak.js')],
    chaos: ['sorts files and by workers while things break', () => import('./commands/chaos.js')],
  },
  'of records': {
    report: [
      'writes tables and charts of records into documents',
      () => import('./report/command.js'),
    ],
  },
};
const COMMANDS: Readonly<Record<string, Entry>> = Object.assign({}, ...Object.values(GROUPS));

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const groups = Object.entries(GROUPS).map(([title, commands]) => {
    const lines = Object.entries(commands).map(
      ([name, [summary]]) => `  ${name.padEnd(width)}  ${summary}\n`,
    );
    return `${title}\n${lines.join('')}`;
  });
  return `Benchmarks and checks of keysweep.\n\n${groups.join('\n')}
SUBCOMMAND --help says what it takes. Without a subcommand it is cpu.`;
}

async function main(args: readonly string[]): Promise<boolean> {
  const [first = 'cpu', ...others] = args;
  if (first === '--help' || first === 'help') {
    console.log(overview());
    return true;
  }
  const [name, rest] = first.startsWith('-') ? ['cpu', [...args]] : [first, others];
  const entry = COMMANDS[name];
  if (entry === undefined) throw new Error(`there is no subcommand '${name}'\n\n${overview()}`);
  const { help, run } = (await entry[1]()).command;
  if (!rest.includes('--help')) return run(rest);
  console.log(help);
  return true;
}

await runAsProgram(main);
