/** Small decisions that files rarely show: the room in a memory, and what an element of a schema is. */

import { describe, expect, it } from 'vitest';
import { Memory } from '../src/memory.js';
import { columnTypeOf } from '../src/parquet/type.js';

describe('a memory', () => {
  it('has room for what is left, to the byte', async () => {
    const memory = new Memory("'in'", 0, 100);
    expect([memory.hasRoom(100), memory.hasRoom(101)]).toEqual([true, false]);
    await memory.column(
      0,
      { expected: 60 },
      async () => [],
      () => 40,
    );
    expect([memory.hasRoom(60), memory.hasRoom(61)]).toEqual([true, false]);
    const share = memory.begin({ expected: 25 });
    expect([memory.hasRoom(35), memory.hasRoom(36)]).toEqual([true, false]);
    expect(() => memory.begin({ expected: 36 })).toThrow(/101/);
    share.end();
    // A column that is read again counts once.
    await memory.column(
      0,
      { expected: 90 },
      async () => [],
      () => 10,
    );
    expect([memory.hasRoom(90), memory.hasRoom(91)]).toEqual([true, false]);
  });
});

describe('an element of a Parquet schema', () => {
  const time = (unit: string, isUtc: boolean) => ({ kind: 'time', unit, isUtc });
  const timestamp = (unit: string, zone?: string) => ({ kind: 'timestamp', unit, zone });
  const logical = (type: string, unit: string, isAdjustedToUTC: boolean) => ({
    logical_type: { type, unit, isAdjustedToUTC },
  });

  it.each<[string, object, unknown]>([
    ['INT32', { converted_type: 'TIME_MILLIS' }, time('ms', true)],
    ['INT64', { converted_type: 'TIME_MILLIS' }, undefined],
    ['INT64', { converted_type: 'TIME_MICROS' }, time('us', true)],
    ['INT32', { converted_type: 'TIME_MICROS' }, undefined],
    ['INT32', logical('TIME', 'MILLIS', false), time('ms', false)],
    ['INT64', logical('TIME', 'NANOS', true), time('ns', true)],
    ['INT32', logical('TIME', 'NANOS', true), undefined],
    ['INT64', { converted_type: 'TIMESTAMP_MILLIS' }, timestamp('ms', 'UTC')],
    ['INT64', logical('TIMESTAMP', 'MICROS', false), timestamp('us')],
    ['INT32', { converted_type: 'TIMESTAMP_MILLIS' }, undefined],
    ['INT32', { converted_type: 'DATE' }, { kind: 'date', unit: 'day' }],
    ['INT32', { converted_type: 'UINT_8' }, { kind: 'integer', bits: 8, isSigned: false }],
    ['INT32', { converted_type: 'INT_32' }, { kind: 'integer', bits: 32, isSigned: true }],
    ['INT64', { converted_type: 'INT_32' }, undefined],
    ['INT32', { converted_type: 'UINT_64' }, undefined],
    ['INT64', {}, { kind: 'integer', bits: 64, isSigned: true }],
    ['BYTE_ARRAY', { converted_type: 'ENUM' }, { kind: 'text' }],
    ['BYTE_ARRAY', { logical_type: { type: 'VARIANT' } }, undefined],
    ['BYTE_ARRAY', {}, { kind: 'binary' }],
    ['FIXED_LEN_BYTE_ARRAY', { type_length: 0 }, undefined],
    [
      'FIXED_LEN_BYTE_ARRAY',
      { type_length: 12, converted_type: 'INTERVAL' },
      { kind: 'fixed binary', width: 12, isOrdered: false },
    ],
  ])('of %s with %j', (type, more, expected) => {
    expect(columnTypeOf({ name: 'x', type, ...more } as never)).toEqual(expected);
  });
});
