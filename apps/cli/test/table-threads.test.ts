/** Threads that read and write tables: the same bytes, whatever becomes of the command. */

import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { sample } from '@keysweep/conformance/data';
import { bytesSource, openTable, writeTable } from '@keysweep/files';
import { parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeEach, describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';
import { TableThreads } from '../dist/job/table-threads.js';
import { ending, inProcess, KEYSWEEP, scratch, shell, sortedBy } from './command.js';
import { SEED } from './keys.js';

drawTests(1 / 2);

const path = scratch();
/** More than one row group that is written, in a file that is large enough for threads. */
const ROWS = 200_000;

const random = testRandom();
const FILE = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      { name: 'key', data: Int32Array.from({ length: ROWS }, () => random.below(1000)) },
      { name: 'row', data: Int32Array.from({ length: ROWS }, (_, row) => row) },
      { name: 'number', data: Float64Array.from({ length: ROWS }, () => random.below(2 ** 50)) },
      {
        name: 'text',
        data: Array.from({ length: ROWS }, (_, row) =>
          row % 9 === 0 ? null : `${random.below(2 ** 30)} of text`,
        ),
        type: 'STRING',
      },
    ],
    rowGroupSize: 100_000,
  }),
);

/** The same numbers as text, row by row. */
const LINES = Array.from(
  { length: ROWS },
  (_, row) => `${random.below(1000)},${row},${random.bits()}`,
);
const TEXT = `key,row,number\n${LINES.join('\n')}\n`;

/** With two threads, however many cores there are. */
const SORT = ['sort', '-c', 'key', '--threads', '2'];

/** Inputs and outputs of every format. */
const JOBS = [
  ['in.parquet', 'out.parquet'],
  ['in.parquet', 'out.arrow'],
  ['in.csv', 'out.csv'],
] as const;

/** A quick run draws one: each sorts the whole file several times. */
const SOME_JOBS = sample(JOBS, 1, SEED);

/** Files that this process has open, where Linux says; sockets and the like come and go. */
function openDescriptors(): string[] {
  const folder = '/proc/self/fd';
  if (!existsSync(folder)) return [];
  const targets = readdirSync(folder).map((descriptor) => {
    try {
      return readlinkSync(join(folder, descriptor));
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(path(''))).sort();
}

describe(`threads for tables (seed ${SEED})`, () => {
  beforeEach(() => {
    writeFileSync(path('in.parquet'), FILE);
    writeFileSync(path('in.csv'), TEXT);
  });

  it('write the bytes that one thread writes, in the right order', async () => {
    expect(FILE.length).toBeGreaterThan(2 ** 22);
    for (const name of ['out.parquet', 'out.arrow']) {
      const args = ['-c', 'key', path('in.parquet')];
      const both = await sortedBy([...args, '--threads', '2'], path(name));
      const alone = await sortedBy([...args, '--threads', '1'], path(`1-${name}`));
      expect(both.equals(alone)).toBe(true);
    }
    const read = (bytes: Uint8Array) =>
      parquetReadObjects({ file: new Uint8Array(bytes).buffer, columns: ['key', 'row'] });
    const rows = (await read(FILE)) as { key: number; row: number }[];
    const expected = rows.toSorted((a, b) => a.key - b.key || a.row - b.row);
    const sorted = await read(readFileSync(path('out.parquet')));
    // One text each, because comparing so many rows takes long.
    expect(JSON.stringify(sorted) === JSON.stringify(expected)).toBe(true);
  });

  it('write the lines of a text in the right order', async () => {
    expect(TEXT.length).toBeGreaterThan(2 ** 22);
    const keyed = LINES.map((line, row) => ({ key: Number.parseInt(line, 10), row, line }));
    keyed.sort((a, b) => a.key - b.key || a.row - b.row);
    const expected = ['key,row,number', ...keyed.map(({ line }) => line), ''].join('\n');
    for (const threads of ['1', ...sample(['2', '3'], 1, SEED)]) {
      const args = ['-c', 'key', '--threads', threads, path('in.csv')];
      const sorted = await sortedBy(args, path('out.csv'));
      expect(sorted.equals(Buffer.from(expected))).toBe(true);
    }
    // A line of another number of fields, in the last third.
    const at = Math.floor(ROWS * 0.7);
    writeFileSync(path('in.csv'), TEXT.replace(`\n${LINES[at]}\n`, '\n1,2\n'));
    const { code, stderr } = await inProcess([...SORT, path('in.csv'), '-o', path('out.csv')]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`line ${at + 2} of '${path('in.csv')}' has 2 fields`),
    });
  });

  it('all end, and what they are asked for then is done without them', async () => {
    let running = 0;
    let started = 0;
    const count = (thread: Worker): void => {
      started++;
      running++;
      thread.once('exit', () => running--);
    };
    process.on('worker', count);
    const file = await open(path('in.parquet'));
    try {
      const about = { name: "'in'", size: FILE.length };
      // The second one cannot read anything.
      for (const descriptor of [file.fd, -1]) {
        const threads = new TableThreads(3, { ...about, descriptor });
        const source = bytesSource("'in'", FILE);
        const table = await openTable(source, { format: 'parquet', threads });
        const columns = await Promise.all(table.columns.map((_, i) => table.readColumn(i)));
        await threads.close();
        expect({ started, running }).toEqual({ started: 3, running: 0 });
        started = 0;
        const pieces: Uint8Array<ArrayBuffer>[] = [];
        const sink = { write: async (bytes: Uint8Array) => void pieces.push(bytes.slice()) };
        const order = Uint32Array.from({ length: ROWS }, (_, row) => ROWS - 1 - row);
        const { layout } = table;
        await writeTable(sink, 'parquet', { columns, order, layout }, () => {}, threads);
        const written = await new Blob(pieces).arrayBuffer();
        const [first] = await parquetReadObjects({ file: written, rowEnd: 1, columns: ['row'] });
        expect(first).toEqual({ row: ROWS - 1 });
      }
    } finally {
      await file.close();
      process.off('worker', count);
    }
  });

  it('end in silence with the reader of a pipe', async () => {
    for (const format of sample(['parquet', 'arrow', 'csv'], 1, SEED + 1)) {
      const input = format === 'csv' ? 'in.csv' : 'in.parquet';
      const command = `$KEYSWEEP ${SORT.join(' ')} --format ${format} ${input}`;
      const script = `${command} | head -c 10 > first; exit $PIPESTATUS`;
      const { code, stderr } = await shell(script, path(''));
      expect({ code, stderr }).toEqual({ code: 141, stderr: '' });
    }
  });

  it('leave what was there if a file may not be as large', async () => {
    for (const [input, output] of SOME_JOBS) {
      writeFileSync(path(output), 'before');
      const command = `$KEYSWEEP ${SORT.join(' ')} ${input} -o ${output}`;
      expect(await shell(`ulimit -f 2000; ${command}`, path(''))).toMatchObject({
        code: 1,
        stderr: `keysweep: cannot write '${output}': file too large (EFBIG)\n`,
      });
      expect(readFileSync(path(output), 'utf8')).toBe('before');
    }
    const outputs = SOME_JOBS.map(([, output]) => output);
    expect(readdirSync(path('')).sort()).toEqual(['in.csv', 'in.parquet', ...outputs].sort());
  });

  it('leave no file, thread or descriptor on a full disk', async ({ skip }) => {
    mkdirSync(path('small'));
    const mount = ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path('small')];
    const mounted = spawnSync('mount', mount);
    skip(mounted.status !== 0, `no file system can be mounted here: ${mounted.stderr}`);
    let running = 0;
    const count = (thread: Worker): void => {
      running++;
      thread.once('exit', () => running--);
    };
    try {
      // What a process opens once for itself is open after the first run.
      for (const [input, output] of SOME_JOBS) {
        await inProcess([...SORT, path(input), '-o', path(output)]);
      }
      process.on('worker', count);
      const before = openDescriptors();
      for (const [input, name] of SOME_JOBS) {
        const output = path(`small/${name}`);
        const { code, stderr } = await inProcess([...SORT, path(input), '-o', output]);
        expect({ code, stderr }).toEqual({
          code: 1,
          stderr: `keysweep: cannot write '${output}': no space left on device (ENOSPC)\n`,
        });
      }
      expect({ files: readdirSync(path('small')), running }).toEqual({ files: [], running: 0 });
      expect(openDescriptors()).toEqual(before);
    } finally {
      process.off('worker', count);
      spawnSync('umount', [path('small')]);
    }
  });

  it.each(SOME_JOBS)(
    'lose nothing of %s with a kill: the next command tidies %s',
    async (input, output) => {
      mkdirSync(path('to'));
      const to = path(join('to', output));
      writeFileSync(to, 'before');
      const before = readFileSync(path(input));
      const child = spawn(process.execPath, [KEYSWEEP, ...SORT, path(input), '-o', to]);
      const ended = ending(child);
      const isWriting = (): boolean =>
        readdirSync(path('to')).some((name) => {
          const size = statSync(path(join('to', name)), { throwIfNoEntry: false })?.size ?? 0;
          return name !== output && size > 0;
        });
      while (!isWriting() && child.exitCode === null) await sleep(1);
      child.kill('SIGKILL');
      const { signal } = await ended;
      const isKilled = signal === 'SIGKILL';
      // It may have been done before; then the output is whole.
      expect(readdirSync(path('to'))).toHaveLength(isKilled ? 2 : 1);
      if (isKilled) expect(readFileSync(to, 'utf8')).toBe('before');
      expect(readFileSync(path(input)).equals(before)).toBe(true);
      const again = await sortedBy(['-c', 'key', path(input)], to);
      const one = ['-c', 'key', '--threads', '1', path(input)];
      const alone = await sortedBy(one, path(`alone-${output}`));
      expect(again.equals(alone)).toBe(true);
      expect(readdirSync(path('to'))).toEqual([output]);
    },
  );

  it.each([
    ['reads', 'DataView.prototype.getUint32'],
    ['encodes', 'DataView.prototype.setUint32'],
  ])('end with a signal while one of them %s, however long that takes', async (_, endless) => {
    mkdirSync(path('to'));
    writeFileSync(
      path('endless.mjs'),
      `import { writeFileSync } from 'node:fs';
       ${endless} = () => { writeFileSync(${JSON.stringify(path('begun'))}, ''); for (;;); };`,
    );
    const to = ['-o', path('to/out.parquet')];
    const args = ['--import', path('endless.mjs'), KEYSWEEP, ...SORT, path('in.parquet'), ...to];
    const child = spawn(process.execPath, args);
    const ended = ending(child);
    while (!existsSync(path('begun')) && child.exitCode === null) await sleep(10);
    expect(readdirSync(path('to'))).toHaveLength(1);
    child.kill('SIGTERM');
    // A command that is deaf to it has to end some time, too.
    const guard = setTimeout(() => child.kill('SIGKILL'), 20_000);
    expect(await ended).toMatchObject({ signal: 'SIGTERM', stderr: '' });
    clearTimeout(guard);
    expect(readdirSync(path('to'))).toEqual([]);
    expect(statSync(path('in.parquet')).size).toBe(FILE.length);
  });
});
