/** What --column, --key and --memory say. */

import type { Order } from '@keysweep/core';
import type { RecordKey } from '@keysweep/files';
import { UsageError } from './failure.js';

/** A column to sort by. */
export interface ColumnSpec {
  readonly name: string;
  readonly order: Order;
  readonly nulls: 'first' | 'last';
  /** Whether a column of a text is text even if all its values are numbers. */
  readonly isText?: boolean;
  /** The columns of a list with commas, unless there is a column of this name. */
  readonly parts?: readonly ColumnSpec[];
}

const ORDERS: Readonly<Record<string, Order>> = { asc: 'ascending', desc: 'descending' };
const NULLS = { 'nulls-first': 'first', 'nulls-last': 'last' } as const;

/**
 * `delay:desc:nulls-first` → the column delay, descending, nulls first. Each kind of suffix counts
 * once, from the end, so that `x:desc:asc` is the column called `x:desc`. `isOfText` allows the
 * suffix `:text`.
 */
export function parseColumn(given: string, byDefault: Order, isOfText: boolean): ColumnSpec {
  let name = given;
  let isText = false;
  let order: Order | undefined;
  let nulls: 'first' | 'last' | undefined;
  for (;;) {
    const [, rest = '', suffix = ''] = /^(.*):([a-z-]+)$/s.exec(name) ?? [];
    if (order === undefined && Object.hasOwn(ORDERS, suffix)) order = ORDERS[suffix];
    else if (nulls === undefined && Object.hasOwn(NULLS, suffix)) {
      nulls = NULLS[suffix as keyof typeof NULLS];
    } else if (isOfText && !isText && suffix === 'text') isText = true;
    else break;
    name = rest;
  }
  if (name === '') throw new UsageError(`--column must name a column, got '${given}'`);
  const spec = { name, order: order ?? byDefault, nulls: nulls ?? 'last' };
  const listed = given.split(',');
  const parts = listed.map((part) =>
    listed.length === 1 ? spec : parseColumn(part, byDefault, isOfText),
  );
  return { ...spec, ...(isText && { isText }), ...(parts.length > 1 && { parts }) };
}

/** `\t` is a tab, because a shell makes it hard to type one. @throws UsageError */
export function parseDelimiter(given: string): string {
  const delimiter = given === '\\t' ? '\t' : given;
  if (/^[^"\r\n\0]$/.test(delimiter) && delimiter <= '\x7f') return delimiter;
  throw new UsageError(
    `--delimiter must be one ASCII character, such as ';' or '\\t', got '${given}'`,
  );
}

/** `0:10:desc` → the 10 bytes from byte 0 on, descending. @throws UsageError beyond the record */
export function parseKey(given: string, width: number, byDefault: Order): RecordKey {
  const [, at, bytes, order] = /^(\d+):(\d+)(?::(asc|desc))?$/.exec(given) ?? [];
  if (at === undefined || bytes === undefined) {
    throw new UsageError(`--key must be FIRST:BYTES or FIRST:BYTES:desc, got '${given}'`);
  }
  const key = { at: Number(at), bytes: Number(bytes) };
  if (key.bytes < 1 || key.at + key.bytes > width) {
    throw new UsageError(`--key ${given} must lie within the ${width} bytes of a record`);
  }
  return { ...key, order: order === undefined ? byDefault : (ORDERS[order] as Order) };
}

const UNITS = ['', 'K', 'M', 'G', 'T'];
/** Less is hardly meant. */
const LEAST_MEMORY = 2 ** 20;

/** `512M` → 512 · 2^20. @throws UsageError for what is no number of bytes, or below 1M */
export function parseBytes(given: string): number {
  const [, digits, unit = ''] = /^(\d+)([KMGT]?)$/i.exec(given) ?? [];
  const bytes = Number(digits) * 1024 ** UNITS.indexOf(unit.toUpperCase());
  if (Number.isSafeInteger(bytes) && bytes >= LEAST_MEMORY) return bytes;
  throw new UsageError(`--memory must be bytes from 1M on, such as 512M or 4G, got '${given}'`);
}
