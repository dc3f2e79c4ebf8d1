/** Whole rows, records of bytes, NumPy files, and what is written of them. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isThorough } from '@keysweep/conformance/data';
import { tableFromIPC } from 'apache-arrow';
import { asyncBufferFromFile, parquetRead, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';
import { inProcess, keysweep, scratch, sortedBy } from './command.js';
import { dataset } from './dataset.js';
import { bufferOf, SEED } from './keys.js';

drawTests(1 / 2);

const path = scratch();
const ROWS = isThorough ? 200_000 : 1000;
const random = testRandom();

interface Flight {
  readonly id: number;
  readonly day: number;
  readonly delay: number | null;
  readonly carrier: string | null;
}

const FLIGHTS: readonly Flight[] = Array.from({ length: ROWS }, (_, id) => ({
  id,
  day: random.below(20),
  delay: random.below(8) === 0 ? null : random.below(90) - 30,
  carrier: random.below(9) === 0 ? null : (['AA', 'DL', 'WN', 'A'][random.below(4)] ?? 'B'),
}));

/** Writes the flights as in.parquet. */
function flights(rows: readonly Flight[] = FLIGHTS): string {
  const optional = { repetition_type: 'OPTIONAL' } as const;
  const buffer = parquetWriteBuffer({
    columnData: (['id', 'day', 'delay', 'carrier'] as const).map((name) => ({
      name,
      data: rows.map((row) => row[name]),
    })),
    schema: [
      { name: 'root', num_children: 4 },
      { name: 'id', type: 'INT32', repetition_type: 'REQUIRED' },
      { name: 'day', type: 'INT32', converted_type: 'DATE', repetition_type: 'REQUIRED' },
      { name: 'delay', type: 'INT32', converted_type: 'INT_16', ...optional },
      { name: 'carrier', type: 'BYTE_ARRAY', converted_type: 'UTF8', ...optional },
    ],
  });
  writeFileSync(path('in.parquet'), Buffer.from(buffer));
  return path('in.parquet');
}

/** The flights in a Parquet or an Arrow file. */
async function read(file: string): Promise<Flight[]> {
  const bytes = new Uint8Array(readFileSync(file));
  const rows = file.endsWith('.arrow')
    ? (tableFromIPC(bytes)
        .toArray()
        .map((row) => row.toJSON()) as Record<string, unknown>[])
    : await parquetReadObjects({ file: bytes.buffer });
  // Both readers make dates of days.
  return rows.map((row) => ({ ...row, day: Number(row.day) / 864e5 })) as Flight[];
}

/** By day; the largest delays first, but nulls before them; carriers by their bytes, nulls last. */
function compare(a: Flight, b: Flight): number {
  const byDelay =
    a.delay === null || b.delay === null
      ? Number(b.delay === null) - Number(a.delay === null)
      : b.delay - a.delay;
  const byCarrier =
    a.carrier === null || b.carrier === null
      ? Number(a.carrier === null) - Number(b.carrier === null)
      : Buffer.compare(Buffer.from(a.carrier), Buffer.from(b.carrier));
  return a.day - b.day || byDelay || byCarrier;
}

const SORTED =
  FLIGHTS.toSorted === undefined ? [...FLIGHTS].sort(compare) : FLIGHTS.toSorted(compare);
const COLUMNS = ['-c', 'day', '-c', 'delay:desc:nulls-first', '-c', 'carrier'];

describe(`whole rows (seed ${SEED})`, () => {
  it('are sorted by three columns, from Parquet to Parquet and to Arrow', async () => {
    for (const output of ['out.parquet', 'out.arrow']) {
      await sortedBy([flights(), ...COLUMNS], path(output));
      expect(await read(path(output)), output).toEqual(SORTED);
    }
    // The Arrow file is read as well as written.
    await sortedBy([path('out.arrow'), '-c', 'id'], path('again.parquet'));
    expect(await read(path('again.parquet'))).toEqual(FLIGHTS);
  });

  it('are sorted in place, as a program, to a pipe, and by threads that are named', async () => {
    const file = flights();
    const { code, stderr, stdout } = await keysweep(['sort', file, ...COLUMNS]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    writeFileSync(path('piped.parquet'), stdout);
    expect(await read(path('piped.parquet'))).toEqual(SORTED);
    await sortedBy([file, ...COLUMNS, '--threads', '1'], file);
    expect(await read(file)).toEqual(SORTED);
  });

  it('are descending with -r, but for columns that say :asc', async () => {
    const expected = [...FLIGHTS].sort((a, b) => b.day - a.day || a.id - b.id);
    await sortedBy([flights(), '-r', '-c', 'day', '-c', 'id:asc'], path('out.parquet'));
    expect(await read(path('out.parquet'))).toEqual(expected);
  });

  it('are as few as --head says', async () => {
    for (const [head, rows] of [
      [0, 0],
      [7, 7],
      [ROWS + 1, ROWS],
    ] as const) {
      await sortedBy([flights(), ...COLUMNS, '--head', `${head}`], path('out.parquet'));
      expect(await read(path('out.parquet'))).toEqual(SORTED.slice(0, rows));
    }
    const values = [flights(), '--values-only', '-c', 'id:desc', '--head', '2'];
    const ids = await sortedBy(values, path('out.i32'));
    expect(ids).toEqual(bufferOf(Int32Array.of(ROWS - 1, ROWS - 2)));
    // Nulls come last, however few rows are asked for.
    const byDelay = FLIGHTS.toSorted((a, b) =>
      a.delay === null || b.delay === null
        ? Number(a.delay === null) - Number(b.delay === null)
        : a.delay - b.delay,
    );
    for (const head of [1, 5, ROWS - 1]) {
      await sortedBy([flights(), '-c', 'delay', '--head', `${head}`], path('out.parquet'));
      expect(await read(path('out.parquet'))).toEqual(byDelay.slice(0, head));
    }
    // With a report, all values are sorted.
    const reported = ['sort', ...values, '--report', '-o', path('reported.i32')];
    expect((await inProcess(reported)).stderr).toContain('sorted');
    expect(readFileSync(path('reported.i32'))).toEqual(ids);
    // One column of numbers decides.
    await sortedBy([flights(), '-c', 'id:desc', '--head', '3'], path('out.parquet'));
    const last = [...FLIGHTS].sort((a, b) => b.id - a.id).slice(0, 3);
    expect(await read(path('out.parquet'))).toEqual(last);
  });

  it('are checked: 0 for sorted, 1 with the first row out of order', async () => {
    const file = flights(SORTED);
    expect(await inProcess(['sort', '--check', file, ...COLUMNS])).toEqual({ code: 0, stderr: '' });
    const place = SORTED.findIndex((row, i) => i > 0 && compare(SORTED[i - 1] as Flight, row) < 0);
    const swapped = SORTED.slice();
    [swapped[place - 1], swapped[place]] = [SORTED[place] as Flight, SORTED[place - 1] as Flight];
    expect(await inProcess(['sort', '--check', flights(swapped), ...COLUMNS])).toEqual({
      code: 1,
      stderr:
        `keysweep: '${file}' is not sorted: row ${place} belongs before row ${place - 1} ` +
        '(the first row is 0)\n',
    });
  });

  it('are not written if something is wrong, and the old file stays', async () => {
    writeFileSync(path('out.parquet'), 'before');
    const args = ['sort', flights(), '-c', 'speed', '-o', path('out.parquet')];
    expect(await inProcess(args)).toEqual({
      code: 1,
      stderr:
        `keysweep: '${path('in.parquet')}' has no column 'speed'; ` +
        'its columns are: id, day, delay, carrier\n',
    });
    expect(readFileSync(path('out.parquet'), 'utf8')).toBe('before');
  });

  const thorough = isThorough ? it : () => {};
  thorough(
    'of three million flights have the order of three columns, every column moved with it',
    async () => {
      const file = dataset('flights-3m.parquet');
      const by = ['-c', 'date', '-c', 'delay:desc', '-c', 'distance'];
      const order = new Uint32Array(
        new Uint8Array(await sortedBy([file, ...by, '--argsort'], path('order'))).buffer,
      );
      await sortedBy([file, ...by], path('out.parquet'));
      const [before, after] = await Promise.all([file, path('out.parquet')].map(columnsIn));
      expect(Object.keys(after ?? {})).toEqual(Object.keys(before ?? {}));
      for (const [name, values] of Object.entries(before ?? {})) {
        const moved = after?.[name] as unknown[];
        const wrong = order.findIndex((row, place) => moved[place] !== values[row]);
        expect({ name, wrong, rows: moved.length }).toEqual({ name, wrong: -1, rows: 3_000_000 });
      }
      const { date = [], delay = [], distance = [] } = after as Record<string, number[]>;
      // Strictly ascending, by the row at last: sorted, stable, and no row twice.
      const descent = order.findIndex((row, i) => {
        if (i === 0) return false;
        const difference =
          Number((date[i] as number) - (date[i - 1] as number)) ||
          Number((delay[i - 1] as number) - (delay[i] as number)) ||
          Number((distance[i] as number) - (distance[i - 1] as number)) ||
          row - (order[i - 1] as number);
        return difference <= 0;
      });
      expect(descent).toBe(-1);
    },
    300_000,
  );
});

/** All columns of a Parquet file, dates and times as the numbers that they are. */
async function columnsIn(file: string): Promise<Record<string, unknown[]>> {
  const columns: Record<string, unknown[]> = {};
  await parquetRead({
    file: await asyncBufferFromFile(file),
    compressors,
    onChunk: ({ columnName, columnData, rowStart }) => {
      columns[columnName] ??= [];
      const column = columns[columnName];
      for (let i = 0; i < columnData.length; i++) {
        const value = columnData[i];
        column[rowStart + i] = value instanceof Date ? value.getTime() : value;
      }
    },
  });
  return columns;
}

describe(`records of bytes (seed ${SEED})`, () => {
  /** Records of 20 bytes, whose bytes repeat often, numbered in their last 4. */
  const records = Array.from({ length: ROWS }, (_, i) => {
    const record = Buffer.from(
      Array.from({ length: 20 }, () => [0, 1, 127, 128, 255][random.below(5)] ?? 0),
    );
    record.writeUInt32BE(i, 16);
    return record;
  });
  const sorted = (by: (a: Buffer, b: Buffer) => number): Buffer =>
    Buffer.concat([...records].sort((a, b) => by(a, b) || a.readUInt32BE(16) - b.readUInt32BE(16)));
  const part = (from: number, to: number) => (a: Buffer, b: Buffer) =>
    Buffer.compare(a.subarray(from, to), b.subarray(from, to));

  it.each([1, 2, 3, 4, 5, 8, 9, 13, 16])('are sorted by a key of %i bytes', async (bytes) => {
    writeFileSync(path('in'), Buffer.concat(records));
    const key = part(16 - bytes, 16);
    const args = ['--record', '20', '--key', `${16 - bytes}:${bytes}`, path('in')];
    expect((await sortedBy(args, path('out'))).equals(sorted(key))).toBe(true);
    const descending = await sortedBy(['-r', ...args], path('out'));
    expect(descending.equals(sorted((a, b) => key(b, a)))).toBe(true);
  });

  it('are sorted by several keys, each with an order, and by all bytes without one', async () => {
    writeFileSync(path('in'), Buffer.concat(records));
    const keys = ['--key', '2:1:desc', '--key', '0:1', '--key', '4:12:desc'];
    const expected = sorted((a, b) => part(2, 3)(b, a) || part(0, 1)(a, b) || part(4, 16)(b, a));
    const several = await sortedBy(['--record', '20', ...keys, path('in')], path('out'));
    expect(several.equals(expected)).toBe(true);
    const whole = await sortedBy(['--record', '20', path('in')], path('out'));
    expect(whole.equals(sorted(Buffer.compare))).toBe(true);
  });

  it('go through pipes; --check, --argsort and --head serve them, too', async () => {
    const args = ['sort', '--record', '20', '--key', '0:2'];
    const { code, stdout } = await keysweep(args, Buffer.concat(records));
    expect({ code, isSorted: stdout.equals(sorted(part(0, 2))) }).toEqual({
      code: 0,
      isSorted: true,
    });
    writeFileSync(path('in'), stdout);
    expect(await inProcess([...args, '--check', path('in')])).toEqual({ code: 0, stderr: '' });
    const order = await sortedBy([...args.slice(1), '--argsort', path('in')], path('out'));
    expect(order).toEqual(bufferOf(Uint32Array.from(records.keys())));
    const head = await sortedBy([...args.slice(1), '--head', '3', path('in')], path('out'));
    expect(head).toEqual(stdout.subarray(0, 60));
  });

  it('fail if their bytes are not whole records', async () => {
    writeFileSync(path('in'), Buffer.alloc(41));
    const { code, stderr } = await inProcess([
      'sort',
      '--record',
      '20',
      path('in'),
      '-o',
      path('out'),
    ]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `keysweep: '${path('in')}' is truncated: its 41 bytes are not a multiple of the 20 bytes ` +
        'of one record (1 left over)\n',
    });
    expect(existsSync(path('out'))).toBe(false);
  });
});

/** A NumPy file, with the header that NumPy writes for `descr` and `shape`. */
function npy(descr: string, shape: string, values: Uint8Array): Buffer {
  const text = `{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }`;
  const header = `${text.padEnd(117)}\n`;
  return Buffer.concat([
    Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length, 0]),
    Buffer.from(header),
    values,
  ]);
}

describe('a NumPy file', () => {
  const values = Float32Array.of(2, Number.NaN, -0, 0, -7);
  const sorted = bufferOf(Float32Array.of(-7, -0, 0, 2, Number.NaN));

  it('is read and written, as its own type', async () => {
    writeFileSync(path('in.npy'), npy("'<f4'", '(5,)', bufferOf(values)));
    const written = await sortedBy([path('in.npy')], path('out.npy'));
    expect(written.subarray(128)).toEqual(sorted);
    expect(written.subarray(0, 128)).toEqual(npy("'<f4'", '(5,)', Buffer.of()));
    expect(await sortedBy([path('out.npy')], path('out.f32'))).toEqual(sorted);
    const order = await sortedBy(['--argsort', path('in.npy')], path('order.npy'));
    expect(order).toEqual(npy("'<u4'", '(5,)', bufferOf(Uint32Array.of(4, 2, 3, 0, 1))));
    const piped = await sortedBy(['--format', 'npy', path('in.npy')], path('bytes'));
    expect(piped).toEqual(written);
  });

  it.each([
    ['two dimensions', "'<f4'", '(1, 5)', 'it has 2 dimensions (1, 5); only arrays of one'],
    ['big-endian numbers', "'>f4'", '(5,)', "its numbers are big-endian ('>f4')"],
    ['another type', "'<c8'", '(5,)', "it holds values of type '<c8'; only integers and floats"],
    ['records', "[('a', '<f4')]", '(5,)', 'it holds records; only plain numbers'],
    ['fewer values than it says', "'<f4'", '(6,)', 'its header says 6 values of f32, but 20 bytes'],
  ])('is refused with %s', async (_, descr, shape, message) => {
    writeFileSync(path('in.npy'), npy(descr, shape, bufferOf(values)));
    const { code, stderr } = await inProcess(['sort', path('in.npy'), '-o', path('out.npy')]);
    expect(code).toBe(1);
    expect(stderr).toContain(`keysweep: cannot read '${path('in.npy')}' as NumPy: ${message}`);
  });
});

describe('text', () => {
  it('is not sorted as numbers: exit code 2, and what to do', async () => {
    const lines = 'delay,carrier\n12,AA\n-3,WN\n';
    for (const name of ['in.txt', 'in.dat']) {
      writeFileSync(path(name), lines.padEnd(28, '\n'));
      const { code, stderr } = await inProcess([
        'sort',
        '-t',
        'f32',
        path(name),
        '-o',
        path('out'),
      ]);
      expect(code).toBe(2);
      expect(stderr).toContain(`'${path(name)}' is text, and its bytes are not the numbers`);
      expect(stderr).toContain('--format csv or tsv and -c COLUMN');
      expect(existsSync(path('out'))).toBe(false);
    }
    const piped = await keysweep(['sort', '-t', 'u32'], Buffer.from('1\n2\n'));
    expect({ code: piped.code, written: piped.stdout.length }).toEqual({ code: 2, written: 0 });
  });

  it('is sorted if the command says that it is numbers, or bytes', async () => {
    writeFileSync(path('in.txt'), 'b\na\n');
    const args = ['-t', 'u16', '--format', 'raw', path('in.txt')];
    expect(String(await sortedBy(args, path('out')))).toBe('a\nb\n');
    expect(String(await sortedBy(['--record', '2', path('in.txt')], path('out')))).toBe('a\nb\n');
    writeFileSync(path('in.bin'), 'b\na\n');
    expect(String(await sortedBy(['-t', 'u8', path('in.bin')], path('out')))).toBe('\n\nab');
  });
});
