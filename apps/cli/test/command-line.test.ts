/** What command lines say, and which are not valid. */

import { describe, expect, it } from 'vitest';
import { parseCommand } from '../src/arguments/parse.js';
import { inProcess } from './command.js';

/** What `sort` of raw u8 on standard input says if nothing else is given. */
const PLAIN = {
  ...{ name: 'sort', input: { format: 'raw', path: undefined, keyType: 'u8', isSure: false } },
  ...{ goal: 'values', output: undefined, outputFormat: 'raw', explicitOutput: false },
  ...{ order: 'ascending', head: undefined, backend: 'auto', threads: undefined },
  ...{ report: undefined, memory: undefined, tmp: undefined, unique: false, resume: false },
  processes: undefined,
};
const raw = (path?: string) => ({ ...PLAIN.input, path });
const bytes = (...keys: readonly (readonly [number, number, string?])[]) =>
  keys.map(([at, bytes, order = 'ascending']) => ({ at, bytes, order }));

describe('a command line', () => {
  const text = { delimiter: undefined, header: true, keyType: undefined };
  const column = (name: string, more = {}) => ({
    name,
    order: 'ascending',
    nulls: 'last',
    ...more,
  });
  it.each<[string, object]>([
    ['', {}],
    ['-', {}],
    ['-o -', { explicitOutput: true }],
    ['in -o out', { input: raw('in'), output: 'out', explicitOutput: true }],
    ['file:///a%20b', { input: raw('/a b') }],
    [
      's3://b/in -o s3://b/out',
      { input: raw('s3://b/in'), output: 's3://b/out', explicitOutput: true },
    ],
    ['in --tmp s3://b/t', { input: raw('in'), tmp: 's3://b/t' }],
    ['--format raw in.txt', { input: { ...raw('in.txt'), isSure: true } }],
    [
      'in -o out.npy',
      { input: raw('in'), output: 'out.npy', explicitOutput: true, outputFormat: 'npy' },
    ],
    ['--format npy', { outputFormat: 'npy' }],
    ['-r', { order: 'descending' }],
    ['-d', { order: 'descending' }],
    ['--descending', { order: 'descending' }],
    ['--head 0', { head: 0 }],
    ['--argsort', { goal: 'order' }],
    ['--check', { goal: 'check' }],
    ['--threads 1', { threads: 1 }],
    ['--threads 256 --backend cpu', { threads: 256, backend: 'cpu' }],
    ['--threads 2 --backend auto', { threads: 2 }],
    ['--backend webgl2', { backend: 'webgl2' }],
    ['--report', { report: 'text' }],
    ['--report=json', { report: 'json' }],
    ['-- --report', { input: raw('--report') }],
    ['--memory 1M', { memory: 2 ** 20 }],
    ['--memory 1048576', { memory: 2 ** 20 }],
    ['--memory 2048k', { memory: 2 ** 21 }],
    ['--memory 3G', { memory: 3 * 2 ** 30 }],
    ['--memory 1T', { memory: 2 ** 40 }],
    ['-u', { unique: true }],
    ['in -o out --resume', { input: raw('in'), output: 'out', explicitOutput: true, resume: true }],
    [
      'in -o out --processes 2 --threads 3 --gpu 0 --gpu 1',
      {
        ...{ input: raw('in'), output: 'out', explicitOutput: true, threads: 3 },
        processes: [{ gpu: 0 }, { gpu: 1 }, { threads: 3 }, { threads: 3 }],
      },
    ],
    [
      'in -o out --gpu 0',
      { input: raw('in'), output: 'out', explicitOutput: true, processes: [{ gpu: 0 }] },
    ],
  ])('of raw values: %s', (args, more) => {
    const given = ['sort', '-t', 'u8', ...args.split(' ').filter(Boolean)];
    expect(parseCommand(given)).toEqual({ ...PLAIN, ...more });
  });

  it.each<[string, object, object?]>([
    ['--record 9', { keys: bytes([0, 9]) }],
    ['--record 9 -r', { keys: bytes([0, 9, 'descending']) }, { order: 'descending' }],
    ['--record 9 --key 8:1 --key 0:9:desc', { keys: bytes([8, 1], [0, 9, 'descending']) }],
    ['--record 9 -r --key 0:1:asc', { keys: bytes([0, 1]) }, { order: 'descending' }],
    ['--record 9 --head 3', { keys: bytes([0, 9]) }, { head: 3 }],
    ['--record 9 -u', { keys: bytes([0, 9]) }, { unique: true }],
    [
      '--record 9 in -o a.txt',
      { path: 'in', keys: bytes([0, 9]) },
      { output: 'a.txt', explicitOutput: true },
    ],
  ])('of records: %s', (args, input, more = {}) => {
    const records = { format: 'records', path: undefined, width: 9, ...input };
    const command = { ...PLAIN, goal: 'records', input: records, ...more };
    expect(parseCommand(['sort', ...args.split(' ')])).toEqual(command);
  });

  const csv = { format: 'csv', columns: [column('a')], ...text };
  const pq = { format: 'parquet', path: 'in.pq', columns: [column('a')], keyType: undefined };
  const written = (output: string) => ({ output, explicitOutput: true });
  it.each<[string, object, object?]>([
    ['in.csv -c a', csv],
    ['IN.TAB -c a', { ...csv, format: 'tsv', path: 'IN.TAB' }],
    ['in.csv -c a:text', { ...csv, columns: [column('a', { isText: true })] }],
    [
      'in.csv -r -c a,b:asc',
      {
        ...csv,
        columns: [{ ...column('a,b'), parts: [column('a', { order: 'descending' }), column('b')] }],
      },
      { order: 'descending' },
    ],
    ['in.csv -c a --delimiter ; --no-header', { ...csv, delimiter: ';', header: false }],
    ['in.csv -c a --delimiter \\t', { ...csv, delimiter: '\t' }],
    ['in.csv -c a -o b.csv', csv, written('b.csv')],
    ['in.csv -c a -o b', csv, written('b')],
    ['in.csv -c a -o b.pq', csv, { ...written('b.pq'), outputFormat: 'parquet' }],
    ['in.csv -c a --head 2 -u', csv, { head: 2, unique: true }],
    ['in.csv -c a --values-only', csv, { goal: 'values', outputFormat: 'raw' }],
    ['in.csv -c a --argsort', csv, { goal: 'order', outputFormat: 'raw' }],
    ['in.csv -c a --format csv', csv],
    ['- -c a --format tsv', { ...csv, format: 'tsv', path: undefined }],
    ['in.pq -c a', pq],
    ['in.pq -c a:text', { ...pq, columns: [column('a:text')] }],
    ['in.feather -c a -t i8', { ...pq, format: 'arrow', path: 'in.feather', keyType: 'i8' }],
    [
      'in.pq -c a -o b.arrow --memory 5M',
      pq,
      { ...written('b.arrow'), outputFormat: 'arrow', memory: 5 * 2 ** 20 },
    ],
  ])('of tables: %s', (args, given, more) => {
    const input: { path?: string; format?: string } = { path: 'in.csv', ...given };
    const { format } = input;
    const command = { ...PLAIN, input, goal: 'rows', outputFormat: format, ...more };
    expect(parseCommand(['sort', ...args.split(' ')])).toEqual(command);
  });

  it.each<[string[], object]>([
    [
      ['sort', 'in.npy'],
      { ...PLAIN, input: { format: 'npy', path: 'in.npy', keyType: undefined } },
    ],
    [['help'], { name: 'help' }],
    [['help', 'help'], { name: 'help' }],
    [['help', 'sort'], { name: 'help', of: 'sort' }],
    [['completion', 'fish'], { name: 'completion', shell: 'fish' }],
    [['doctor'], { name: 'doctor', json: false, calibrate: false }],
    [['doctor', '--json', '--calibrate'], { name: 'doctor', json: true, calibrate: true }],
    [['gen', '0'], { name: 'gen', records: 0, seed: 0, output: undefined, explicitOutput: false }],
    [
      ['gen', '7', '--seed', '3', '-o', 'out'],
      { name: 'gen', records: 7, seed: 3, output: 'out', explicitOutput: true },
    ],
    [
      ['check', '-t', 'u8', '-r', 'in', '--sum'],
      { name: 'check', path: 'in', layout: { type: 'u8' }, order: 'descending', sum: true },
    ],
    [
      ['check', '--record', '4', '--key', '2:2', 'in'],
      {
        ...{ name: 'check', path: 'in', order: 'ascending', sum: false },
        layout: { record: { bytes: 4, keys: bytes([2, 2]) } },
      },
    ],
    [
      ['check', 'in.npy'],
      { ...PLAIN, goal: 'check', input: { format: 'npy', path: 'in.npy', keyType: undefined } },
    ],
    [
      ['submit', '--local', '1', '-t', 'u8', 'a', 'b', '-o', 'c'],
      {
        ...{ name: 'submit', paths: ['a', 'b'], output: 'c', layout: { type: 'u8' } },
        ...{ order: 'ascending', at: { local: 1 }, memory: undefined, parts: undefined },
        ...{ tmp: undefined, report: undefined },
      },
    ],
    [
      'submit --connection redis://h -t u8 -d a -o c --parts 3 --memory 9M --tmp t --report'.split(
        ' ',
      ),
      {
        ...{
          name: 'submit',
          paths: ['a'],
          output: 'c',
          layout: { type: 'u8' },
          parts: 3,
          tmp: 't',
        },
        ...{ order: 'descending', at: { connection: 'redis://h' }, memory: 9 * 2 ** 20 },
        report: 'text',
      },
    ],
    [
      'worker --connection redis://h --root /a --root s3://b/c --concurrency 2 --gpu 0'.split(' '),
      {
        ...{ name: 'worker', connection: 'redis://h', roots: ['/a', 's3://b/c'], concurrency: 2 },
        ...{ threads: undefined, gpu: 0 },
      },
    ],
    [
      'worker --connection redis://h --root /a --threads 256'.split(' '),
      {
        ...{ name: 'worker', connection: 'redis://h', roots: ['/a'], concurrency: undefined },
        ...{ threads: 256, gpu: undefined },
      },
    ],
  ])('of others: %j', (args, command) => expect(parseCommand(args)).toEqual(command));
});

describe('a command line that is not valid', () => {
  it.each([
    ['an unknown command', ['shuffle'], "unknown command 'shuffle'"],
    ['no type', ['sort', 'in'], 'raw values need --type, one of u8, i8,'],
    ['nothing to sort', ['sort'], 'name an INPUT, as in keysweep sort in.csv -c NAME; raw values'],
    ['help for an unknown command', ['help', 'shuffle'], "unknown command 'shuffle'"],
    ['an unknown type', ['sort', '-t', 'f80'], '--type must be one of u8, .*f64, got .f80.'],
    ['an unknown flag', ['sort', '-t', 'u8', '--fast'], '--fast'],
    ['a flag without its value', ['sort', '-t'], '--type needs a value'],
    ['a flag with a value', ['sort', '-t', 'u8', '--unique=yes'], '--unique takes no value'],
    ['a check of a table', ['check', 'in.csv'], "--column must name the column of 'in.csv'"],
    ['a check of no type', ['check', 'in.bin'], 'raw values need --type, one of u8, i8,'],
    [
      'an unknown style',
      ['sort', '-t', 'u8', '--report=yes'],
      '--report must be one of text, json',
    ],
    ['a key of GNU sort', ['sort', '-k', '2,2n', 'in.csv'], 'there is no -k here: -c NAME says'],
    ['several of its flags', ['sort', '-nr', 'in.csv'], 'there is no -n here: columns are sorted'],
    ['its separator', ['sort', '-t,', 'in.csv'], "--delimiter ',' says what is between fields"],
    ['text without a column', ['sort', 'in.csv'], "--column must name the column of 'in.csv'"],
    ['a type of text', ['sort', '-t', 'f32', '-c', 'a', 'in.csv'], "'in.csv' is text, and --type"],
    ['a long delimiter', ['sort', '-c', 'a', '--delimiter', '::', 'in.csv'], "ASCII .* got '::'"],
    ['a delimiter of Parquet', ['sort', '-c', 'a', '--delimiter', ';', 'in.pq'], 'need lines of'],
    ['CSV to TSV', ['sort', '-c', 'a', 'in.csv', '-o', 'o.tsv'], 'csv cannot become tsv'],
    [
      'CSV to NumPy',
      ['sort', '-c', 'a', 'in.csv', '-o', 'o.npy'],
      'or as csv, not to the format npy',
    ],
    ['Parquet to CSV', ['sort', '-c', 'a', 'in.pq', '-o', 'o.csv'], 'files, not to the format csv'],
    ['a sum of a table', ['check', '--sum', '-c', 'a', 'in.csv'], '--sum is for raw numbers'],
    ['a sum of NumPy', ['check', '--sum', 'in.npy'], '--sum is for raw numbers and records'],
    ['a type of NumPy', ['check', '-t', 'i32', 'in.npy'], "for others: keysweep check 'in.npy'"],
    ['no shell', ['completion'], 'completion needs the name of one shell: bash, zsh, fish'],
    ['an unknown shell', ['completion', 'csh'], "must be one of bash, zsh, fish, got 'csh'"],
    ['two inputs', ['sort', '-t', 'u8', 'a', 'b'], 'only one INPUT is allowed, got 2: a b'],
    ['an empty input name', ['sort', '-t', 'u8', ''], 'INPUT must name a file, got an empty name'],
    ['an empty output name', ['sort', '-t', 'u8', '-o', ''], '--output must name a file'],
    [
      'an unknown backend',
      ['sort', '-t', 'u8', '--backend', 'abacus'],
      "--backend must be one of .*got 'abacus'",
    ],
    [
      'a column of raw values',
      ['sort', '-t', 'u8', '-c', 'x', 'in.bin'],
      '--column needs an INPUT that ends in',
    ],
    [
      'a table without a column',
      ['sort', 'in.parquet'],
      "--column must name the column of 'in.parquet'",
    ],
    [
      'values of two columns',
      ['sort', '--values-only', '-c', 'a', '-c', 'b', 'in.arrow'],
      '--values-only takes one --column',
    ],
    ['text', ['sort', '-t', 'f32', 'in.CSV'], "'in.CSV' is text, and --type is for bare numbers"],
    ['other text', ['sort', '-t', 'f32', 'in.txt'], "'in.txt' is text, .* --format csv or tsv"],
    ['a table that is not read', ['sort', '-t', 'u8', 'in.xlsx'], '.xlsx files cannot be read: '],
    [
      'rows to raw bytes',
      ['sort', '-c', 'a', 'in.parquet', '-o', 'out.i64'],
      "whole rows are written to .parquet or .arrow files, not to 'out.i64'; .* --values-only",
    ],
    [
      'rows as raw bytes',
      ['sort', '-c', 'a', 'in.parquet', '--format', 'raw'],
      'not to the format raw',
    ],
    [
      'values to a table',
      ['sort', '-t', 'u8', 'in', '-o', 'out.parquet'],
      'values cannot be written as parquet, only whole rows of a table can',
    ],
    [
      'raw values to the name of a table',
      ['sort', '-t', 'u8', 'in', '-o', 'out.feather', '--format', 'raw'],
      "--format says raw, but the name 'out.feather' says arrow",
    ],
    [
      'raw values to text',
      ['sort', '-t', 'u8', 'in', '-o', 'o.csv'],
      'values cannot be written as csv',
    ],
    ['an order to a table', ['sort', '--argsort', '-c', 'a', 'a.pq', '-o', 'b.pq'], 'an order can'],
    [
      'Arrow to the name of Parquet',
      ['sort', '-c', 'a', 'in.arrow', '-o', 'o.parquet', '--format', 'arrow'],
      "--format says arrow, but the name 'o.parquet' says parquet",
    ],
    ['records as NumPy', ['sort', '--record', '4', 'in', '-o', 'o.npy'], 'records of bytes cannot'],
    ['a key without records', ['sort', '-t', 'u8', '--key', '0:1'], '--key needs --record'],
    ['a key beyond the record', ['sort', '--record', '9', '--key', '8:2'], 'within the 9 bytes'],
    ['a key that is none', ['sort', '--record', '9', '--key', '1'], '--key must be FIRST:BYTES'],
    ['records of a type', ['sort', '--record', '4', '-t', 'u8'], '--record sorts bytes'],
    ['records with columns', ['sort', '--record', '4', '-c', 'a'], 'and no --column'],
    ['records of no bytes', ['sort', '--record', '0'], '--record must be a whole number from 1'],
    ['a head below 0', ['sort', '-t', 'u8', '--head', '-1'], 'is written behind =, as in'],
    ['a head that is no number', ['sort', '-t', 'u8', '--head', '1e3'], "--head .* got '1e3'"],
    ['too many threads', ['sort', '-t', 'u8', '--threads', '257'], 'from 1 to 256'],
    ['no threads', ['sort', '-t', 'u8', '--threads', '0'], '--threads .* from 1 on'],
    ['little memory', ['sort', '-t', 'u8', '--memory', '1023K'], '--memory must be bytes from 1M'],
    ['memory of no number', ['sort', '-t', 'u8', '--memory', '1.5G'], "--memory .* got '1.5G'"],
    ['memory beyond numbers', ['sort', '-t', 'u8', '--memory', '9999999T'], '--memory must be'],
    ['memory of a check', ['sort', '-t', 'u8', '--check', '--memory', '1M'], '--memory is for'],
    ['a key of no bytes', ['sort', '--record', '9', '--key', '0:0'], 'within the 9 bytes'],
    ['a tmp of a table', ['sort', '-c', 'a', 'a.csv', '--tmp', 't'], '--tmp is for whole files'],
    ['a head of unique values', ['sort', '-t', 'u8', '-u', '--head', '1'], '--unique is for rows'],
    ['resuming a stream', ['sort', '-t', 'u8', '--resume', '-o', 'o'], '--resume needs an INPUT'],
    ['resuming to a stream', ['sort', '-t', 'u8', '--resume', 'in'], '--resume needs an INPUT'],
    ['processes to a stream', ['sort', '-t', 'u8', '--processes', '2', 'in'], 'need an OUTPUT'],
    [
      'processes of unique values',
      ['sort', '-t', 'u8', '--processes', '2', '-u', 'in', '-o', 'o'],
      'are not for --unique',
    ],
    [
      'processes of a backend',
      ['sort', '-t', 'u8', '--processes', '2', '--backend', 'cpu', 'in', '-o', 'o'],
      'leave --backend out',
    ],
    [
      'processes at addresses',
      ['sort', '-t', 'u8', '--gpu', '0', 's3://b/in', '-o', 'o'],
      'need files of this machine',
    ],
    ['an order of an address', ['sort', '-t', 'u8', '--argsort', 's3://b/in'], 'addresses s3: are'],
    ['an address of others', ['sort', '-t', 'u8', 'http://a/b'], 'must be a path, or an address'],
    [
      'gen to an address',
      ['gen', '1', '-o', 's3://b/o'],
      '--output must be a file of this machine',
    ],
    ['gen of two numbers', ['gen', '1', '2'], 'gen needs one number'],
    ['gen of no number', ['gen', 'x'], "RECORDS must be a whole number from 0 on, got 'x'"],
    ['a check of two files', ['check', '-t', 'u8', 'a', 'b'], 'check needs one INPUT'],
    ['a check of a stream', ['check', '-t', 'u8', '-'], 'check needs one INPUT'],
    ['two shells', ['completion', 'bash', 'zsh'], 'completion needs the name of one shell'],
    [
      'submit without an output',
      ['submit', '--local', '1', '-t', 'u8', 'a'],
      'submit needs an INP',
    ],
    ['submit of a stream', ['submit', '--local', '1', '-t', 'u8', '-', '-o', 'o'], 'submit needs'],
    [
      'no workers',
      ['submit', '--local', '0', '-t', 'u8', 'a', '-o', 'o'],
      '--local must be a whole',
    ],
    [
      'two stores',
      ['submit', '--local', '1', '--connection', 'redis://h', '-t', 'u8', 'a', '-o', 'o'],
      '--local and --connection exclude each other',
    ],
    ['a table to submit', ['submit', '--local', '1', 'a.npy', '-o', 'o'], 'for tables: sort'],
    ['a worker without a root', ['worker', '--connection', 'redis://h'], 'worker needs --root'],
    [
      'a root that is a stream',
      ['worker', '--connection', 'redis://h', '--root', '/a', '--root', '-'],
      'worker needs --root',
    ],
    [
      'threads and a GPU',
      ['worker', '--connection', 'redis://h', '--root', '/a', '--gpu', '0', '--threads', '1'],
      '--gpu names a GPU',
    ],
    ['nulls of values', ['sort', '--values-only', '-c', 'a:nulls-first', 'a.pq'], 'takes no nulls'],
    ['a check with a head', ['sort', '-t', 'u8', '--check', '--head', '1'], 'looks at all rows'],
    [
      'threads of a GPU',
      ['sort', '-t', 'u8', '--threads', '2', '--backend', 'webgpu'],
      '--threads are those of the backend cpu',
    ],
    ['a check that writes', ['sort', '-t', 'u8', '--check', '-o', 'out'], '--check writes nothing'],
    ['two goals', ['sort', '-t', 'u8', '--check', '--argsort'], 'exclude each other'],
    ['values only of values', ['sort', '-t', 'u8', '--values-only'], '--values-only is for tables'],
    ['a column of no name', ['sort', '-c', ':desc', 'in.arrow'], '--column must name a column'],
    ['an unknown format', ['sort', '-t', 'u8', '--format', 'orc'], '--format must be one of raw,'],
    ['a doctor with an input', ['doctor', 'in'], "'in'"],
  ])('is refused with exit code 2: %s', async (_, args, message) => {
    const { code, stderr } = await inProcess(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^keysweep: .*${message}.* \\(see keysweep --help\\)\\n$`));
  });
});
