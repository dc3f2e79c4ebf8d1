/** The work of a sort, called as threads call it: what it tells, reports, and writes. */

import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SortCommand } from '../dist/arguments/command.js';
import { parseCommand } from '../dist/arguments/parse.js';
import { isStream, kindOf } from '../dist/io/kind.js';
import { openOutput } from '../dist/io/output.js';
import { heldSource, openSource, readerOf, streamOf } from '../dist/io/source.js';
import { performerOf } from '../dist/job/job.js';
import { perform } from '../dist/job/perform.js';
import { TableThreads, threadsFor } from '../dist/job/table-threads.js';
import type { Step } from '../dist/text/progress.js';
import { inProcess, scratch } from './command.js';

const path = scratch();

interface Done {
  readonly written: Buffer;
  readonly told: readonly string[];
  readonly result: Awaited<ReturnType<typeof perform>>;
}

/** Does a command whose input is a file of `bytes` called `name`. */
async function done(name: string, bytes: Uint8Array | string, line: string): Promise<Done> {
  writeFileSync(path(name), bytes);
  const command = parseCommand(['sort', path(name), ...line.split(' ').filter(Boolean)]);
  if (command.name !== 'sort') throw new Error('no sort');
  const told: Step[] = [];
  const pieces: Uint8Array[] = [];
  let isWaited = false;
  const result = await perform(
    { command, standardInput: undefined },
    {
      tell: (step) => void told.push(step),
      sink: { write: async (piece) => void pieces.push(piece.slice()) },
      writeAll: async (all) => void pieces.push(all.slice()),
      written: async () => {
        isWaited = true;
      },
    },
  );
  expect(isWaited).toBe(command.goal !== 'check');
  return {
    written: Buffer.concat(pieces),
    told: told.map(({ doing, completed, total, unit }) => `${doing} ${completed}/${total} ${unit}`),
    result,
  };
}

const CSV = 'a,b\n3,x\n1,y\n3,w\n2,z\n1,v\n';

describe('a table of text', () => {
  it('is read, put in order, and written with its header', async () => {
    const { written, told, result } = await done('t.csv', CSV, '-c a');
    expect(String(written)).toBe('a,b\n1,y\n1,v\n2,z\n3,x\n3,w\n');
    expect(told[0]).toBe(`reading ${CSV.length}/${CSV.length} bytes`);
    expect(told).toContain('reading 5/5 steps');
    expect(told.some((one) => /^sorting/.test(one))).toBe(true);
    expect(told.at(-1)).toBe('writing 5/5 steps');
    expect(result.report).toMatchObject({ operation: 'argsort', length: 5, keyTypes: ['i64'] });
    expect(result.misplaced).toBe(-1);
    expect(Object.values(result.phases).every((time) => time >= 0)).toBe(true);
    expect(result.phases.reading).toBeGreaterThan(0);
  });

  it('may be sorted by several columns, of which each has a share of reading', async () => {
    const { written, told } = await done('t.csv', CSV, '-c a:desc -c b');
    expect(String(written)).toBe('a,b\n3,w\n3,x\n2,z\n1,v\n1,y\n');
    const reading = told.filter((one) => /^reading .* steps$/.test(one));
    expect(reading).toContain('reading 5/10 steps');
    expect(reading.at(-1)).toBe('reading 10/10 steps');
  });

  it('may be sorted by a list of columns, or by one that is called like a list', async () => {
    const { written } = await done('l.csv', 'a,b\n2,1\n1,2\n1,1\n', '-c a,b:desc');
    expect(String(written)).toBe('a,b\n1,2\n1,1\n2,1\n');
    const named = await done('l.csv', '"a,b",a,b\n2,1,1\n1,2,1\n', '-c a,b');
    expect(String(named.written)).toBe('"a,b",a,b\n1,2,1\n2,1,1\n');
  });

  it('may be cut, and have its repeats left out', async () => {
    const head = await done('t.csv', CSV, '-c a --head 2');
    expect(String(head.written)).toBe('a,b\n1,y\n1,v\n');
    // Nothing was sorted whole, so there is nothing to report.
    expect(head.result.report).toBeUndefined();
    const reported = await done('t.csv', CSV, '-c a --head 2 --report');
    expect(String(reported.written)).toBe('a,b\n1,y\n1,v\n');
    expect(reported.result.report?.length).toBe(5);
    expect(String((await done('t.csv', CSV, '-c a --head 0')).written)).toBe('a,b\n');
    expect(String((await done('t.csv', CSV, '-c a -u')).written)).toBe('a,b\n1,y\n2,z\n3,x\n');
    expect(String((await done('t.csv', CSV, '-c a -u --head 2')).written)).toBe('a,b\n1,y\n2,z\n');
  });

  it('gives the values of a column, or the order of its rows', async () => {
    const values = await done('t.csv', CSV, '-c a:desc --values-only');
    expect(new BigInt64Array(new Uint8Array(values.written).buffer)).toEqual(
      BigInt64Array.of(3n, 3n, 2n, 1n, 1n),
    );
    const order = await done('t.csv', CSV, '-c a --argsort --head 3');
    expect(new Uint32Array(new Uint8Array(order.written).buffer)).toEqual(Uint32Array.of(1, 4, 3));
    const npy = await done('t.csv', CSV, `-c a --argsort -o ${path('o.npy')}`);
    expect(String(npy.written.subarray(1, 6))).toBe('NUMPY');
    expect(npy.written.length).toBe(128 + 20);
  });

  it('is checked, with the line of the first row that is out of order', async () => {
    const { result, written } = await done('t.csv', CSV, '-c a --check');
    expect(result.misplaced).toBe(1);
    expect(result.lines).toEqual([3, 2]);
    expect(written.length).toBe(0);
    const sorted = await done('t.csv', 'a\n1\n1\n2\n', '-c a --check');
    expect(sorted.result).toMatchObject({ misplaced: -1 });
    const down = await done('t.csv', 'a\n1\n1\n2\n', '-c a --check -r');
    expect(down.result.misplaced).toBe(2);
  });
});

describe('other inputs', () => {
  it('may be raw numbers, of which some are wanted', async () => {
    const numbers = new Uint8Array(Float32Array.of(3, -1, 2).buffer);
    const all = await done('n.raw', numbers, '-t f32');
    expect(new Float32Array(new Uint8Array(all.written).buffer)).toEqual(Float32Array.of(-1, 2, 3));
    expect(all.told[0]).toBe('reading 12/12 bytes');
    expect(all.result.report).toMatchObject({ operation: 'sort', length: 3, keyTypes: ['f32'] });
    const first = await done('n.raw', numbers, '-t f32 -r --head 2');
    expect(new Float32Array(new Uint8Array(first.written).buffer)).toEqual(Float32Array.of(3, 2));
    expect(first.result.report).toBeUndefined();
    const reported = await done('n.raw', numbers, '-t f32 -r --head 2 --report');
    expect(reported.written.length).toBe(8);
    expect(reported.result.report?.length).toBe(3);
    const order = await done('n.raw', numbers, '-t f32 --argsort');
    expect(new Uint32Array(new Uint8Array(order.written).buffer)).toEqual(Uint32Array.of(1, 2, 0));
    const check = await done('n.raw', numbers, '-t f32 --check');
    expect(check.result.misplaced).toBe(1);
  });

  it('may be records', async () => {
    const records = Uint8Array.of(1, 9, 0, 7, 1, 8);
    const { written, told, result } = await done('r', records, '--record 2 --key 0:1 --argsort');
    expect(new Uint32Array(new Uint8Array(written).buffer)).toEqual(Uint32Array.of(1, 0, 2));
    expect(told[0]).toBe('reading 6/6 bytes');
    expect(result.report?.length).toBe(3);
    const head = await done('r', records, '--record 2 --key 1:1:desc --head 2');
    expect([...head.written]).toEqual([1, 9, 1, 8]);
    expect(head.told.at(-1)).toBe('writing 2/3 steps');
  });

  it('may be Parquet, whose rows stay Parquet', async () => {
    const columnData = [
      { name: 'k', data: Int32Array.of(3, 1, 2), type: 'INT32' as const },
      { name: 't', data: ['c', 'a', 'b'], type: 'STRING' as const },
    ];
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData }));
    const { written, told } = await done('p.parquet', bytes, '-c k');
    expect(String(written.subarray(0, 4))).toBe('PAR1');
    expect(told).toContain('reading 3/6 steps');
    expect(told.at(-1)).toBe('writing 3/3 steps');
    const values = await done('p.parquet', bytes, '-c k --values-only');
    expect(new Int32Array(new Uint8Array(values.written).buffer)).toEqual(Int32Array.of(1, 2, 3));
  });
});

describe('a column that is not there', () => {
  const say = async (header: string, column: string, ...more: string[]): Promise<string> => {
    writeFileSync(path('h.csv'), `${header}\n1\n`);
    const args = ['sort', path('h.csv'), '-c', column, '-o', path('o.csv'), ...more];
    return (await inProcess(args)).stderr.replace(path('h.csv'), 'h.csv');
  };

  it('is named with the columns that there are, and the one that may be meant', async () => {
    expect(await say('a', 'b')).toBe("keysweep: 'h.csv' has no column 'b'; its columns are: a\n");
    const suffixes = "(':down' is none of :asc, :desc, :nulls-first, :nulls-last, :text)";
    expect(await say('abc', 'abc:down')).toBe(
      `keysweep: 'h.csv' has no column 'abc:down'; its columns are: abc ${suffixes}\n`,
    );
    expect(await say('x:y', 'x:y:down')).toContain(suffixes);
    expect(await say('abc', 'xyz:down')).toMatch(/its columns are: abc\n$/);
    expect(await say('a;b', 'b')).toBe(
      "keysweep: 'h.csv' has no column 'b'; its columns are: a;b " +
        "(if its fields have ';' between them, say --delimiter ';')\n",
    );
    expect(await say('a', 'a', '--record', '1')).toContain('--record has --key, and no --column');
  });
});

it('a job in a thread tells how far it is, and gives what it writes to the sink', async () => {
  writeFileSync(path('t.csv'), CSV);
  const command = parseCommand(['sort', path('t.csv'), '-c', 'a']) as SortCommand;
  const performer = performerOf(command);
  const steps: Step[] = [];
  const pieces: Uint8Array[] = [];
  const sink = { write: async (piece: Uint8Array) => void pieces.push(piece.slice()) };
  const progress = { update: (step: Step) => void steps.push(step), clear() {} };
  const job = { command, standardInput: undefined };
  const { misplaced } = await performer.run(job, sink, progress);
  await performer.end();
  expect(misplaced).toBe(-1);
  expect(String(Buffer.concat(pieces))).toBe('a,b\n1,y\n1,v\n2,z\n3,x\n3,w\n');
  // Of the others it tells now and then.
  expect(steps.map(({ doing }) => doing)).toContain('reading');
  const failing = performerOf(command);
  const missing = { ...command, input: { ...command.input, path: path('none') } } as SortCommand;
  await expect(
    failing.run({ command: missing, standardInput: undefined }, sink, progress),
  ).rejects.toThrow(/^cannot read '.*none': no such file/);
  await failing.end();
});

describe('threads for a table', () => {
  let closing: TableThreads[] = [];
  beforeEach(() => {
    closing = [];
  });

  it('are there for large files whose rows are written, and for no others', async () => {
    writeFileSync(path('f'), 'x');
    const fd = openSync(path('f'), 'r');
    const source = (size: number) => ({
      ...heldSource("'f'", new Uint8Array(0)),
      ...{ size, file: { descriptor: fd } },
    });
    const of = (line: string, size: number, own = source(size)) => {
      const command = parseCommand(['sort', ...line.split(' ')]);
      const threads = threadsFor(command as never, own);
      if (threads !== undefined) closing.push(threads);
      return threads?.count;
    };
    const LARGE = 2 ** 22;
    expect(of('a.parquet -c k -o o.parquet --threads 2', LARGE - 1)).toBeUndefined();
    expect(of('a.parquet -c k -o o.parquet --threads 1', LARGE)).toBeUndefined();
    expect(of('a.parquet -c k -o o --argsort --threads 2', LARGE)).toBeUndefined();
    expect(of('a.parquet -c k --values-only -o o --threads 2', LARGE)).toBeUndefined();
    expect(of('a.csv -c k -o o.parquet --threads 2', LARGE)).toBeUndefined();
    expect(of('a.parquet -c k -o o.parquet --threads 2', 2 ** 50)).toBeUndefined();
    expect(of('a.raw -t u8 --threads 2', LARGE)).toBeUndefined();
    const { file: _, ...held } = source(LARGE);
    expect(of('a.parquet -c k -o o.parquet --threads 2', LARGE, held as never)).toBeUndefined();
    expect(of('a.parquet -c k -o o.parquet --threads 2', LARGE)).toBe(2);
    for (const threads of closing) await threads.close();
    closeSync(fd);
  });

  it('do what they can, and reject what they cannot, or after their end', async () => {
    writeFileSync(path('f'), 'a\nb\n');
    const fd = openSync(path('f'), 'r');
    const threads = new TableThreads(1, { descriptor: fd, name: "'f'", size: 4 });
    const starts = Uint32Array.of(0, 2, 4);
    const bytes = new Uint8Array(Buffer.from('a\nb\n'));
    const from = { bytes, starts, rows: 2, ending: undefined };
    const gathered = await threads.run({ kind: 'gather', from, rows: Uint32Array.of(1, 0) });
    const [piece] = (gathered as { pieces: Uint8Array[] }).pieces;
    expect(String(Buffer.from(piece as Uint8Array))).toBe('b\na\n');
    const wrong = threads.run({ kind: 'gather', from: {} as never, rows: Uint32Array.of(0) });
    await expect(wrong).rejects.toThrow('a thread could not do its work');
    await threads.close();
    const late = threads.run({ kind: 'gather', from, rows: Uint32Array.of(0) });
    await expect(late).rejects.toThrow('a thread could not do its work');
    closeSync(fd);
  });
});

describe('an output whose device reports an error', () => {
  const PIECE = Buffer.alloc(2 ** 25);

  /** What is written, of which the system brings some to the device at times: `fails` says when. */
  async function failingOutput(fails: readonly boolean[]) {
    const synced = vi.fn((_fd: number, end: (error?: Error) => void) => {
      const error = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      const isFailure = fails[synced.mock.calls.length - 1];
      setImmediate(() => (isFailure ? end(error) : end()));
    });
    vi.resetModules();
    vi.doMock('node:fs', async (real) => ({ ...(await real<object>()), fdatasync: synced }));
    onTestFinished(() => void vi.doUnmock('node:fs'));
    const { openOutput: openFailing } = await import('../src/io/output.js');
    writeFileSync(path('out'), 'before');
    const output = await openFailing(path('out'));
    const write = async (): Promise<void> => {
      await output.write(PIECE);
      // What was begun has ended.
      await new Promise((resolve) => setTimeout(resolve, 1));
    };
    return { output, write, synced };
  }

  it.each([
    ['the first of two', [true, false], 1],
    ['the last one', [false, true], 2],
  ] as const)('%s: it is told, and the old file stays', async (_, fails, writes) => {
    const { output, write, synced } = await failingOutput(fails);
    for (let i = 0; i < writes; i++) await write();
    expect(synced).toHaveBeenCalledTimes(writes);
    if (writes === 1) await expect(write()).rejects.toThrow(/i\/o error/);
    else await expect(output.commit()).rejects.toThrow(/i\/o error/);
    await output.discard();
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
    expect(readdirSync(path('')).filter((name) => name !== 'out')).toEqual([]);
  });
});

describe('an open file', () => {
  it('is written at its position, by the names that descriptors have', async () => {
    for (const folder of ['/dev/fd', '/proc/self/fd'].filter(existsSync)) {
      const fd = openSync(path('out'), 'w');
      writeSync(fd, 'before ');
      const output = await openOutput(`${folder}/${fd}`);
      await output.write(Buffer.from('after'));
      await output.commit();
      closeSync(fd);
      expect(readFileSync(path('out'), 'utf8')).toBe('before after');
    }
  });

  it('is read in pieces, and says where it ends too early', async () => {
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i);
    writeFileSync(path('in'), bytes);
    const reads: number[] = [];
    const source = await openSource(path('in'), () => expect.unreachable());
    expect([source.name, source.size]).toEqual([`'${path('in')}'`, 1000]);
    expect(await source.read(10, 20, (n) => reads.push(n))).toEqual(bytes.slice(10, 20));
    expect(await source.read(5, 5)).toEqual(new Uint8Array(0));
    expect(reads).toEqual([10]);
    const short = readerOf("'x'", source.file?.descriptor as number, 2000);
    await expect(short(900, 1100)).rejects.toThrow(
      "cannot read 'x': the system says that it has 2000 bytes, but it ends after 1000; " +
        'was it shortened while it was read?',
    );
    await source.close();
    await expect(source.read(0, 1)).rejects.toThrow(/^cannot read '.*': .*EBADF/);
  });

  it('is told from pipes and folders', async () => {
    writeFileSync(path('in'), 'x');
    expect([path('in'), path('none'), path('.'), '/dev/null'].map(isStream)).toEqual([
      ...[false, false, false, true],
    ]);
    expect(kindOf(path('none'))).toBeUndefined();
    expect(kindOf(path('in'))?.isFile()).toBe(true);
    await expect(openSource(path('.'), () => {})).rejects.toThrow('it is a directory');
    await expect(openSource(path('none'), () => {})).rejects.toThrow(
      'no such file or directory (ENOENT)',
    );
    const empty = await openSource('/dev/null', () => expect.unreachable());
    expect(empty.size).toBe(0);
    expect(empty.file).toBeUndefined();
    const pieces: Uint8Array[] = [];
    for await (const piece of streamOf(path('in'))) pieces.push(piece);
    expect(String(Buffer.concat(pieces))).toBe('x');
    const missing = streamOf(path('none')).next();
    await expect(missing).rejects.toThrow(/^cannot read '.*none': no such file/);
  });
});
