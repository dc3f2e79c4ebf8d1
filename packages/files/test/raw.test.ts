import { COMMON_KEY_TYPES, runSeed } from '@keysweep/conformance/data';
import { assertSameBits } from '@keysweep/conformance/verify';
import { describe, expect, it } from 'vitest';
import { blobSource, bytesOf, bytesSource, FileError, openTable, writeRaw } from '../src/index.js';
import { hasFloat16, randomColumn, tableIn } from './columns.js';

const seed = runSeed();

describe(`raw values (seed ${seed})`, () => {
  it.each(COMMON_KEY_TYPES)('reads what was written: %s', async (keyType) => {
    const values = randomColumn(keyType, 1000, seed);
    const pieces: Uint8Array[] = [];
    await writeRaw({ write: async (piece) => void pieces.push(piece.slice()) }, values, () => {});
    const blob = new Blob(pieces as BlobPart[]);
    const table = await openTable(blobSource('a blob', blob), { format: 'raw', keyType });
    const { name: type } = values.constructor;
    expect(table.columns).toEqual([{ name: 'values', type, keyType, rows: 1000 }]);
    assertSameBits(keyType, await table.read('values'), values);
  });

  it.each(COMMON_KEY_TYPES)('reads %s from a view that begins at any byte', async (keyType) => {
    const values = randomColumn(keyType, 10, seed);
    const bytes = bytesOf(values);
    for (let at = 0; at <= 8; at++) {
      const shifted = new Uint8Array(bytes.length + at);
      shifted.set(bytes, at);
      const source = bytesSource('bytes', shifted.subarray(at));
      const table = await openTable(source, { format: 'raw', keyType });
      assertSameBits(keyType, await table.read('values'), values);
    }
  });

  it('reads an empty file as no rows', async () => {
    const table = await tableIn(new Uint8Array(), { format: 'raw', keyType: 'f64' });
    expect(await table.read('values')).toEqual(new Float64Array());
  });

  it('writes pieces in order and tells how many bytes are written', async () => {
    const values = new Uint8Array((9 << 20) + 1);
    values.set(randomColumn('u8', 1000, seed) as Uint8Array, (4 << 20) - 500);
    const told: number[] = [];
    let size = 0;
    const write = async (piece: Uint8Array): Promise<void> => {
      expect(Buffer.compare(piece, bytesOf(values).subarray(size, size + piece.length))).toBe(0);
      size += piece.length;
    };
    await writeRaw({ write }, values, (completed, total) => {
      expect([completed, total]).toEqual([size, values.length]);
      told.push(completed);
    });
    expect(told).toEqual([4 << 20, 8 << 20, (9 << 20) + 1]);
  });

  it('rejects a size that is not a multiple of the width of a value', async () => {
    const error = await tableIn(new Uint8Array(1003), { format: 'raw', keyType: 'f32' }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(FileError);
    expect((error as Error).message).toBe(
      "'in' is truncated: its 1003 bytes are not a multiple of the 4 bytes of one " +
        'f32 value (3 left over)',
    );
  });

  it('rejects f16 if the runtime has no Float16Array', async ({ skip }) => {
    skip(hasFloat16, 'this runtime has Float16Array');
    await expect(tableIn(new Uint8Array(4), { format: 'raw', keyType: 'f16' })).rejects.toThrow(
      'f16 needs Float16Array, which this runtime does not have',
    );
  });

  it('says why a source cannot be read', async () => {
    const source = { name: 'a pipe', size: 4, read: () => Promise.reject(new Error('it is shut')) };
    const table = await openTable(source, { format: 'raw', keyType: 'u8' });
    await expect(table.read('values')).rejects.toThrow(
      'cannot read a pipe as raw values: it is shut',
    );
  });

  it('rejects a source that has fewer bytes than it says', async () => {
    const short = { name: 'a file', size: 8, read: async () => new Uint8Array(4) };
    const table = await openTable(short, { format: 'raw', keyType: 'u8' });
    await expect(table.read('values')).rejects.toThrow(
      'cannot read a file as raw values: it should have 8 bytes, but ends at 4',
    );
  });
});

it.each([
  [undefined, { format: 'npy' }, /^source must be a ByteSource, as blobSource.*, got undefined$/],
  ['a.parquet', { format: 'parquet' }, /^source must be .*, got the string 'a\.parquet'$/],
  [new Blob([]), { format: 'parquet' }, /^source must be .*, got an object \(Blob\)$/],
  [bytesSource('x', new Uint8Array()), undefined, /^how\.format must be one of .*got undefined$/],
  [bytesSource('x', new Uint8Array()), { format: 'orc' }, /raw, npy, .*got the string 'orc'$/],
  [bytesSource('x', new Uint8Array()), { format: 'raw' }, /^how\.keyType must be one of u8, /],
])('refuses to open %o as %o', async (source, how, message) => {
  const opening = openTable(source as never, how as never);
  await expect(opening).rejects.toThrow(TypeError);
  await expect(openTable(source as never, how as never)).rejects.toThrow(message);
});
