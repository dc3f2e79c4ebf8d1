/** Between the types of Parquet and those of columns. */

import type { SchemaElement } from 'hyparquet';
import { FileError } from '../error.js';
import type { ColumnType, StoredColumn, TimeUnit } from '../stored/column.js';

const UNITS = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' } as const;

/** Most bytes of a decimal that is carried. */
const DECIMAL_BYTES = 16;

/**
 * The type of a flat column, or undefined for one that is not carried. Older files have
 * `converted_type` only.
 */
export function columnTypeOf(element: SchemaElement): ColumnType | undefined {
  const { type, type_length: length = 0, logical_type: logical, converted_type } = element;
  switch (type) {
    case 'BOOLEAN':
      return { kind: 'boolean' };
    case 'INT32':
    case 'INT64':
      return integerOf(element);
    case 'FLOAT':
      return { kind: 'float', bits: 32 };
    case 'DOUBLE':
      return { kind: 'float', bits: 64 };
    case 'INT96':
      return { kind: 'fixed binary', width: 12, isOrdered: false };
    case 'FIXED_LEN_BYTE_ARRAY':
      if (logical?.type === 'FLOAT16')
        return length === 2 ? { kind: 'float', bits: 16 } : undefined;
      if (length < 1) return undefined;
      if (isDecimal(element)) return length <= DECIMAL_BYTES ? decimalOf(element, 128) : undefined;
      return { kind: 'fixed binary', width: length, isOrdered: converted_type !== 'INTERVAL' };
    case 'BYTE_ARRAY':
      if (isDecimal(element)) return undefined;
      if (logical?.type === 'VARIANT') return undefined;
      return ['STRING', 'ENUM', 'JSON'].includes(logical?.type ?? '') ||
        ['UTF8', 'ENUM', 'JSON'].includes(converted_type ?? '')
        ? { kind: 'text' }
        : { kind: 'binary' };
    default:
      return undefined;
  }
}

function integerOf(element: SchemaElement): ColumnType | undefined {
  const { type, logical_type: logical, converted_type: converted } = element;
  const own = type === 'INT32' ? 32 : 64;
  if (isDecimal(element)) return decimalOf(element, own);
  if (logical?.type === 'DATE' || converted === 'DATE') return { kind: 'date', unit: 'day' };
  const [, what, unit = ''] = /^(TIME|TIMESTAMP)_(MILLIS|MICROS)$/.exec(converted ?? '') ?? [];
  const time =
    logical?.type === 'TIME' || logical?.type === 'TIMESTAMP'
      ? { what: logical.type, unit: UNITS[logical.unit], isUtc: logical.isAdjustedToUTC }
      : what === undefined
        ? undefined
        : { what, unit: UNITS[unit as keyof typeof UNITS], isUtc: true };
  if (time !== undefined) {
    const { unit, isUtc } = time;
    if (time.what === 'TIMESTAMP') {
      return own === 64 ? { kind: 'timestamp', unit, zone: isUtc ? 'UTC' : undefined } : undefined;
    }
    return (unit === 'ms') === (own === 32) ? { kind: 'time', unit, isUtc } : undefined;
  }
  const [, unsigned, bits = own] = /^(U?)INT_(\d+)$/.exec(converted ?? '') ?? [];
  const integer =
    logical?.type === 'INTEGER'
      ? { bits: logical.bitWidth, isSigned: logical.isSigned }
      : { bits: Number(bits), isSigned: !unsigned };
  if (![8, 16, 32, 64].includes(integer.bits)) return undefined;
  // 64 bits are stored as INT64, all others as INT32.
  if ((integer.bits === 64) !== (own === 64)) return undefined;
  return { kind: 'integer', bits: integer.bits as 8, isSigned: integer.isSigned };
}

const isDecimal = ({ logical_type, converted_type }: SchemaElement): boolean =>
  logical_type?.type === 'DECIMAL' || converted_type === 'DECIMAL';

function decimalOf(element: SchemaElement, bits: 32 | 64 | 128): ColumnType {
  const { logical_type: logical, precision = 0, scale = 0 } = element;
  const own = logical?.type === 'DECIMAL' ? logical : { precision, scale };
  return { kind: 'decimal', bits, precision: own.precision, scale: own.scale };
}

/**
 * The schema of a column that comes from another format.
 * @throws FileError for a type that Parquet does not have
 */
export function elementOf({ name, type, isNullable }: StoredColumn): SchemaElement {
  const own = { name, repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED' } as const;
  const cannot = (why: string): FileError =>
    new FileError(`column '${name}' cannot be written as Parquet: ${why}`);
  switch (type.kind) {
    case 'boolean':
      return { ...own, type: 'BOOLEAN' };
    case 'integer': {
      const { bits, isSigned } = type;
      const physical = bits === 64 ? 'INT64' : 'INT32';
      if (isSigned && bits >= 32) return { ...own, type: physical };
      return { ...own, type: physical, converted_type: `${isSigned ? '' : 'U'}INT_${bits}` };
    }
    case 'float':
      if (type.bits !== 16) return { ...own, type: type.bits === 32 ? 'FLOAT' : 'DOUBLE' };
      return {
        ...own,
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: 2,
        logical_type: { type: 'FLOAT16' },
      };
    case 'decimal': {
      const { bits, precision, scale } = type;
      const said = { converted_type: 'DECIMAL', precision, scale } as const;
      if (scale < 0) throw cannot('it is a decimal whose scale is below 0');
      if (bits === 128) return { ...own, ...said, type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16 };
      return { ...own, ...said, type: bits === 32 ? 'INT32' : 'INT64' };
    }
    case 'date':
      if (type.unit === 'ms') throw cannot('it has dates in milliseconds; dates are in days there');
      return { ...own, type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } };
    case 'time':
      return {
        ...own,
        type: type.unit === 'ms' ? 'INT32' : 'INT64',
        logical_type: {
          type: 'TIME',
          isAdjustedToUTC: type.isUtc,
          unit: unitOf(type.unit, cannot),
        },
      };
    case 'timestamp':
      if (type.zone !== undefined && type.zone !== 'UTC') {
        throw cannot(`it has the time zone ${type.zone}, and only UTC can be told there`);
      }
      return {
        ...own,
        type: 'INT64',
        logical_type: {
          type: 'TIMESTAMP',
          isAdjustedToUTC: type.zone === 'UTC',
          unit: unitOf(type.unit, cannot),
        },
      };
    case 'duration':
      throw cannot('it has durations, which are unknown there');
    case 'text':
      return {
        ...own,
        type: 'BYTE_ARRAY',
        converted_type: 'UTF8',
        logical_type: { type: 'STRING' },
      };
    case 'binary':
      return { ...own, type: 'BYTE_ARRAY' };
    case 'fixed binary':
      return { ...own, type: 'FIXED_LEN_BYTE_ARRAY', type_length: type.width };
  }
}

function unitOf(unit: TimeUnit, cannot: (why: string) => FileError): 'MILLIS' | 'MICROS' | 'NANOS' {
  if (unit === 's')
    throw cannot('it has times in seconds; milliseconds are the largest unit there');
  return ({ ms: 'MILLIS', us: 'MICROS', ns: 'NANOS' } as const)[unit];
}
