/** What a sorted file must hold, by comparators on values: plain, slow, and nothing of the sort. */

import type { KeyType } from '@keysweep/core';
import { compareKeys } from '@keysweep/core/oracle';
import type { RecordKey, RecordLayout } from '../dist/index.js';

const READ: Readonly<
  Record<Exclude<KeyType, 'f16'>, (v: DataView, at: number) => number | bigint>
> = {
  u8: (v, at) => v.getUint8(at),
  i8: (v, at) => v.getInt8(at),
  u16: (v, at) => v.getUint16(at, true),
  i16: (v, at) => v.getInt16(at, true),
  u32: (v, at) => v.getUint32(at, true),
  i32: (v, at) => v.getInt32(at, true),
  f32: (v, at) => v.getFloat32(at, true),
  u64: (v, at) => v.getBigUint64(at, true),
  i64: (v, at) => v.getBigInt64(at, true),
  f64: (v, at) => v.getFloat64(at, true),
};

type Order = 'ascending' | 'descending';

function compareBy(bytes: Buffer, width: number, keys: readonly RecordKey[], byDefault: Order) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return (a: number, b: number): number => {
    for (const key of keys) {
      const [x, y] = [a * width + key.at, b * width + key.at];
      const compared =
        'type' in key
          ? compareKeys(READ[key.type as 'u8'](view, x), READ[key.type as 'u8'](view, y))
          : bytes.compare(bytes, y, y + key.bytes, x, x + key.bytes);
      const order = key.order ?? byDefault;
      if (compared !== 0) return order === 'ascending' ? compared : -compared;
    }
    return 0;
  };
}

/** The records of `bytes` in their order, which is stable; `unique`: the first of equal ones. */
export function sortedRecords(
  bytes: Buffer,
  { bytes: width, keys = [{ at: 0, bytes: width }] }: RecordLayout,
  order: Order = 'ascending',
  unique = false,
): Buffer {
  const compare = compareBy(bytes, width, keys, order);
  const rows = Array.from({ length: bytes.length / width }, (_, i) => i).sort(compare);
  const kept = unique
    ? rows.filter((row, i) => i === 0 || compare(rows[i - 1] as number, row) !== 0)
    : rows;
  return Buffer.concat(kept.map((row) => bytes.subarray(row * width, (row + 1) * width)));
}

/** Everything that a NaN's bits say is in the multiset; its place among NaNs is not defined. */
export function multiset(bytes: Buffer, width: number): string[] {
  const records = [];
  for (let at = 0; at < bytes.length; at += width) {
    records.push(bytes.toString('hex', at, at + width));
  }
  return records.sort();
}

const NAN = { 4: Buffer.from([0, 0, 0xc0, 0x7f]), 8: Buffer.from([0, 0, 0, 0, 0, 0, 0xf8, 0x7f]) };

/** The same numbers with one NaN for all NaNs. */
export function withOneNaN(bytes: Buffer, type: string): Buffer {
  const copy = Buffer.from(bytes);
  if (type !== 'f32' && type !== 'f64') return copy;
  const width = type === 'f32' ? 4 : 8;
  for (let at = 0; at < copy.length; at += width) {
    const number = type === 'f32' ? copy.readFloatLE(at) : copy.readDoubleLE(at);
    if (Number.isNaN(number)) NAN[width].copy(copy, at);
  }
  return copy;
}
