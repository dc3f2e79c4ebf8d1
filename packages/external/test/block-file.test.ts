import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Random, runSeed } from '@keysweep/conformance/data';
import { expect, it, onTestFinished, vi } from 'vitest';
import { checkFile } from '../dist/index.js';
import { openFiles } from '../dist/open/source.js';
import { BLOCK_BYTES, BlockFile, memoryOfPages } from '../dist/storage/block-file.js';
import { localStorage } from '../dist/storage.js';
import { scratch } from './scratch.js';

const SEED = runSeed();
const { path, write, sort } = scratch();

/** Bytes that begin `offset` behind a block. */
function bytesBehindBlock(length: number, offset: number): Uint8Array {
  const { buffer } = memoryOfPages(length + offset) as WebAssembly.Memory;
  return new Random(SEED).fill(new Uint8Array(buffer, offset, length));
}

it.each([
  [0, 0],
  [0, 1000],
  [1000, 1000],
  [1000, 0],
  [BLOCK_BYTES + 1, 1],
])('bytes %i behind a block of memory go to and from %i of a file', async (offset, at) => {
  const bytes = bytesBehindBlock(1_000_003, offset);
  const file = new BlockFile(await open(path('file'), 'wx'), 'write', true);
  expect(await file.move(bytes, at)).toBe(bytes.length);
  // Behind them, where the last block has been begun.
  expect(await file.move(bytes.subarray(0, 300_000), at + bytes.length)).toBe(300_000);
  await file.close();
  const whole = Buffer.concat([Buffer.alloc(at), bytes, bytes.subarray(0, 300_000)]);
  expect(readFileSync(path('file')).equals(whole), `seed ${SEED}`).toBe(true);
  const again = new BlockFile(await open(path('file'), 'r'), 'read', true);
  const into = bytesBehindBlock(bytes.length, offset).fill(0);
  expect(await again.move(into, at)).toBe(bytes.length);
  expect(Buffer.compare(into, bytes), `seed ${SEED}`).toBe(0);
  // At the end there are fewer.
  expect(await again.move(into, at + bytes.length)).toBe(300_000);
  await again.close();
});

it.each([
  [2 ** 23, 1],
  [2 ** 23 + BLOCK_BYTES, 2],
  [2 ** 26, 2],
])('%i bytes are written in %i pieces, none of which waits for another', async (length, pieces) => {
  const handle = await open(path('file'), 'wx');
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const write = vi.fn(async (_bytes: Uint8Array, _from: number, bytesWritten: number) => {
    await ended;
    return { bytesWritten };
  });
  const file = new BlockFile(Object.assign(handle, { write }), 'write', false);
  const moving = file.move(new Uint8Array(length), 0);
  await vi.waitFor(() => expect(write).toHaveBeenCalledTimes(pieces));
  end();
  expect(await moving).toBe(length);
  expect(write).toHaveBeenCalledTimes(pieces);
  await file.close();
});

it('if the system moves only a part, the rest is moved from there, at either side', async () => {
  const bytes = bytesBehindBlock(300_000, 0);
  const moved = Buffer.alloc(bytes.length);
  const some = async (
    from: Uint8Array,
    into: Uint8Array,
    length: number,
  ): Promise<{ bytesWritten: number; bytesRead: number }> => {
    const count = Math.min(length, 70_001);
    into.set(from.subarray(0, count));
    return { bytesWritten: count, bytesRead: count };
  };
  const part = (_: Uint8Array, from: number, length: number, at: number) =>
    some(bytes.subarray(at), moved.subarray(at + from), length);
  const written = new BlockFile(
    Object.assign(await open(path('file'), 'wx'), { write: part }),
    'write',
    false,
  );
  expect(await written.move(bytes, 0)).toBe(bytes.length);
  expect(Buffer.compare(moved, bytes)).toBe(0);
  await written.close();
  const read = async (into: Uint8Array, from: number, length: number, at: number) =>
    some(bytes.subarray(at), into.subarray(from), length);
  const file = new BlockFile(Object.assign(await open(path('file'), 'r'), { read }), 'read', false);
  const into = new Uint8Array(bytes.length);
  expect(await file.move(into, 0)).toBe(bytes.length);
  expect(Buffer.compare(into, bytes)).toBe(0);
  await file.close();
});

it('once the system refuses to move bytes past the cache, all go through it', async () => {
  const handle = await open(path('file'), 'wx');
  const { write } = handle;
  let refused: FileHandle | undefined;
  const spy = vi.spyOn(Object.getPrototypeOf(handle), 'write');
  spy.mockImplementation(function (this: FileHandle, ...args: unknown[]) {
    if (this === handle || refused !== undefined) return write.apply(this, args as never);
    refused = this;
    return Promise.reject(Object.assign(new Error('not aligned'), { code: 'EINVAL' }));
  } as typeof write as never);
  onTestFinished(() => spy.mockRestore());
  const bytes = bytesBehindBlock(64 * BLOCK_BYTES, 0);
  const file = new BlockFile(handle, 'write', true);
  for (const at of [0, bytes.length]) expect(await file.move(bytes, at)).toBe(bytes.length);
  // Where the file system has no such way, nothing was refused.
  expect((refused as FileHandle | undefined)?.fd ?? -1).toBe(-1);
  await file.close();
  const whole = Buffer.concat([bytes, bytes]);
  expect(readFileSync(path('file')).equals(whole), `seed ${SEED}`).toBe(true);
});

it.each([
  ['u64', { type: 'u64' }],
  ['records', { record: { bytes: 12, keys: [{ at: 0, type: 'u32' }] } }],
] as const)('%s in parts that begin at blocks are sorted', async (_, layout) => {
  const input = write('in', new Random(SEED).fill(new Uint32Array(3_000_000)));
  const report = await sort(input, path('out'), { ...layout, memory: 2 ** 24 });
  expect(report).toMatchObject({ passes: 2, bytesWritten: 24_000_000 });
  const { misplaced, checksum } = await checkFile(path('out'), layout);
  expect(misplaced, `seed ${SEED}`).toBe(-1);
  expect(checksum, `seed ${SEED}`).toBe((await checkFile(input, layout)).checksum);
});

it('records of several files are read at once, while the system is quick', async () => {
  const bytes = new Random(SEED).fill(new Uint8Array(1000));
  const paths = [0, 250, 250].map((from, i) => write(`${i}`, bytes.subarray(from, 250 + 500 * i)));
  const run = {
    storage: localStorage,
    layout: { width: 10, keys: [], numbers: undefined },
    count: { read: 0, written: 0 },
  };
  const whole = Buffer.concat(paths.map((one) => readFileSync(one)));
  const source = await openFiles(run, paths);
  const into = new Uint8Array(10);
  const readNow = (from: number): boolean | undefined => source.readNow?.(into.fill(0), from);
  try {
    for (const from of [0, 240, 250, 500, 740, 990, 1000, whole.length - 10]) {
      expect(readNow(from), `from ${from}`).toBe(true);
      expect([...into], `seed ${SEED}`).toEqual([...whole.subarray(from, from + 10)]);
    }
    expect(run.count.read).toBe(80);
    // There are fewer bytes: `read` says why.
    expect(readNow(whole.length - 5)).toBe(false);
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 15;
      return now;
    });
    expect([0, 10, 20].map(readNow)).toEqual([true, true, false]);
    await source.read(into, 20);
    expect([...into]).toEqual([...whole.subarray(20, 30)]);
  } finally {
    vi.restoreAllMocks();
    await source.close();
  }
});
