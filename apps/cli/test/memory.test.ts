/** Tables take as much memory as `--memory` says, or are refused before they take more. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { sample } from '@keysweep/conformance/data';
import { npyHeader } from '@keysweep/files';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { inProcess, keysweep, scratch } from './command.js';

drawTests(1 / 2);

const path = scratch();
/** Rows of one value: a few kilobytes on a disk. */
const SAME = 8_000_000;
const ROWS = 100_000;

let same: Uint8Array;
beforeAll(() => {
  same = new Uint8Array(
    parquetWriteBuffer({
      columnData: [{ name: 'x', data: new BigInt64Array(SAME).fill(7n), type: 'INT64' }],
      rowGroupSize: SAME,
      pageSize: 2 ** 30,
    }),
  );
});

/** What a refusal says: which file, how much it takes and may take, what to say instead. */
function refusal(stderr: string): { needed: string; allowed: string; option: string } {
  const line =
    /^keysweep: '(.*)' takes (.*) of memory, and may take (.*): --memory (\d+M) allows it\n$/;
  expect(stderr).toMatch(line);
  const [, , needed = '', allowed = '', option = ''] = line.exec(stderr) ?? [];
  return { needed, allowed, option };
}

describe('a table that does not fit', () => {
  it('is refused if it is small and becomes large, and sorted as the error says', async () => {
    const [input, output] = [path('same.parquet'), path('out.i64')];
    writeFileSync(input, same);
    expect(same.length).toBeLessThan(100_000);
    const args = ['sort', input, '-c', 'x', '--values-only', '-o', output];
    const { code, stderr } = await inProcess(args);
    expect(code).toBe(1);
    const { allowed, option } = refusal(stderr);
    expect(allowed).toMatch(/^(6\d\.\d|7\d\.\d) MB$/);
    expect(existsSync(output)).toBe(false);
    expect(await inProcess([...args, '--memory', option])).toEqual({ code: 0, stderr: '' });
    const values = readFileSync(output);
    expect(values.length).toBe(8 * SAME);
    expect(values.readBigInt64LE(0)).toBe(7n);
    const less = `${Number.parseInt(option, 10) - 1}M`;
    expect((await inProcess([...args, '--memory', less])).code).toBe(1);
  });

  it('is refused on standard input from the first byte on that is too many', async () => {
    const isTooLong = async (size: number): Promise<boolean> => {
      const args = ['sort', '--format', 'csv', '-c', 'x', '--memory', '1M'];
      const { code, stderr } = await keysweep(args, Buffer.alloc(size, 'x\n'));
      expect(code).toBe(1);
      return stderr.includes('it has over 1048576 bytes');
    };
    // As many as it may take in all are too many for the sort, which says so otherwise.
    expect(await isTooLong(2 ** 20)).toBe(false);
    expect(await isTooLong(2 ** 20 + 1)).toBe(true);
  });

  it('takes no memory before it is refused', async () => {
    const [input, hook] = [path('same.parquet'), path('hook.cjs')];
    writeFileSync(input, same);
    writeFileSync(
      hook,
      'const {isMainThread} = require("node:worker_threads");' +
        'if (isMainThread) process.on("exit", () => process.stderr.write(' +
        '"peak " + process.resourceUsage().maxRSS + "\\n"));',
    );
    const { NODE_OPTIONS } = process.env;
    process.env.NODE_OPTIONS = `${NODE_OPTIONS ?? ''} --require ${hook}`;
    try {
      const peak = async (...args: string[]): Promise<number> => {
        const { stderr } = await keysweep(args);
        return Number(/peak (\d+)\n$/.exec(stderr)?.[1]) / 1024;
      };
      const nothing = await peak('sort', path('absent.parquet'), '-c', 'x');
      const refused = await peak('sort', input, '-c', 'x', '-o', path('out.parquet'));
      // The column alone has 61 MiB, and its rows as bytes 8 MiB.
      expect(refused - nothing).toBeLessThan(60);
    } finally {
      if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
      else process.env.NODE_OPTIONS = NODE_OPTIONS;
    }
  });

  const columns = {
    x: Int32Array.from({ length: ROWS }, (_, i) => (i * 7919) % ROWS),
    text: Array.from({ length: ROWS }, (_, i) => `row ${i}`),
  };
  const sources = {
    'in.arrow': () => tableToIPC(tableFromArrays(columns), 'file'),
    'in.parquet': () =>
      new Uint8Array(
        parquetWriteBuffer({
          columnData: [
            { name: 'x', data: columns.x, type: 'INT32' },
            { name: 'text', data: columns.text, type: 'STRING' },
          ],
        }),
      ),
  };

  const combinations = Object.entries(sources).flatMap(([name, make]) =>
    [[], ['--argsort'], ['--values-only'], ['--check']].map((more) => ({ name, make, more })),
  );

  it.each(sample(combinations, 2))(
    'is refused as a whole, and sorted with as much as it says: $name $more',
    async (given) => {
      const { name, make, more } = given;
      const input = path(name);
      writeFileSync(input, make());
      const out = more.includes('--check') ? [] : ['-o', path(more.length > 0 ? 'out' : name)];
      const args = ['sort', input, '-c', 'x', ...more, ...out];
      const expected = await inProcess(args);
      if (out.length > 0) expect(expected).toEqual({ code: 0, stderr: '' });
      const result = out[1] === undefined || out[1] === input ? undefined : readFileSync(out[1]);
      writeFileSync(input, make());
      const memory = name === 'in.arrow' ? '3M' : '1M';
      const { code, stderr } = await inProcess([...args, '--memory', memory]);
      expect(code).toBe(1);
      const { option, allowed } = refusal(stderr);
      expect(allowed).toBe(name === 'in.arrow' ? '3.1 MB' : '1.0 MB');
      expect(await inProcess([...args, '--memory', option])).toEqual(expected);
      if (result !== undefined) expect(readFileSync(out[1] as string)).toEqual(result);
    },
  );

  it('is refused if the file itself is larger, which an Arrow file is in memory', async () => {
    const input = path('in.arrow');
    writeFileSync(input, sources['in.arrow']());
    const args = ['sort', input, '-c', 'x', '-o', path('out.arrow'), '--memory', '1M'];
    expect(await inProcess(args)).toEqual({
      code: 1,
      stderr:
        `keysweep: '${input}' takes over 2.1 MB of memory, and may take 1.0 MB: ` +
        '--memory allows more\n',
    });
  });

  it('may be a NumPy file', async () => {
    const input = path('in.npy');
    writeFileSync(input, Buffer.concat([npyHeader('u8', 1_000_000), Buffer.alloc(1_000_000)]));
    const args = ['sort', input, '-o', path('out.npy')];
    const { code, stderr } = await inProcess([...args, '--memory', '2M']);
    expect(code).toBe(1);
    expect(await inProcess([...args, '--memory', refusal(stderr).option])).toEqual({
      code: 0,
      stderr: '',
    });
  });
});

it('--memory is refused for raw numbers that are not sorted by files', async () => {
  const { code, stderr } = await inProcess([
    'sort',
    '--type',
    'u32',
    '--argsort',
    '--memory',
    '1G',
    'in',
    '-o',
    'out',
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain(
    '--memory is for tables, .npy and whole files of raw numbers and records',
  );
});
