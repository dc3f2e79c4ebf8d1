/**
 * NumPy's files of one array.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */

import { KEY_TYPES, type KeyType, keyTraits } from '@keysweep/core';
import { keyArrayClass } from './keys.js';
import type { MemoryBudget } from './memory.js';
import { openNumbers } from './raw.js';
import type { ByteSource } from './source.js';
import type { OnProgress, Table } from './table.js';

declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };

const MAGIC = '\u0093NUMPY';
/** Bytes of the magic word, the version, and the length of the header. */
const PREFIX = { 1: 10, 2: 12, 3: 12 } as const;
/** Longest header that is read. */
const LONGEST = 1 << 16;

/**
 * One column called `values`: the numbers of an array of one dimension.
 * @throws Error where it is another file, or an array of another shape, byte order or type
 */
export async function openNpy(
  source: ByteSource,
  memory: MemoryBudget,
  onProgress?: OnProgress,
): Promise<Table> {
  const { size } = source;
  const start = await source.read(0, Math.min(size, 12));
  const word = String.fromCharCode(...start.subarray(0, 6));
  const version = start[6] as 1 | 2 | 3;
  const prefix = PREFIX[version];
  if (word !== MAGIC || prefix === undefined || size < prefix) {
    throw new Error('it does not begin as a .npy file of version 1, 2 or 3 does');
  }
  const view = new DataView(start.buffer, start.byteOffset, start.length);
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const from = prefix + length;
  if (length > LONGEST || from > size) throw new Error('its header is longer than the file');
  const header = new TextDecoder().decode(await source.read(prefix, from));
  const { keyType, rows } = parseHeader(header);
  const bytes = size - from;
  const wanted = rows * (keyTraits(keyType).bits / 8);
  if (bytes !== wanted) {
    throw new Error(`its header says ${rows} values of ${keyType}, but ${bytes} bytes follow it`);
  }
  return openNumbers(source, keyType, { from, rows }, memory, onProgress);
}

/** The Python literal `{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }`. */
function parseHeader(header: string): { keyType: KeyType; rows: number } {
  const [, descr] = /'descr'\s*:\s*'([^']*)'/.exec(header) ?? [];
  const [, shape] = /'shape'\s*:\s*\(([^)]*)\)/.exec(header) ?? [];
  if (shape === undefined || !/'fortran_order'\s*:\s*(True|False)/.test(header)) {
    throw new Error('its header has no shape, or no order');
  }
  if (descr === undefined) throw new Error('it holds records; only plain numbers can be read');
  const [, order, kind, width] = /^([<>|=])([a-zA-Z])(\d+)$/.exec(descr) ?? [];
  const name = `${kind}${8 * Number(width)}`;
  const keyType = KEY_TYPES.find((candidate) => candidate === name);
  if (keyType === undefined) {
    throw new Error(`it holds values of type '${descr}'; only integers and floats can be read`);
  }
  if (order === '>') throw new Error(`its numbers are big-endian ('${descr}')`);
  const sizes = shape.split(',').filter((part) => part.trim() !== '');
  if (sizes.length !== 1) {
    throw new Error(`it has ${sizes.length} dimensions (${shape}); only arrays of one can be read`);
  }
  const rows = Number(sizes[0]);
  if (!Number.isSafeInteger(rows) || rows < 0) throw new Error(`its header says ${shape} values`);
  return { keyType, rows };
}

/** The header of an array of `rows` numbers, which the numbers follow. Version 1.0. */
export function npyHeader(keyType: KeyType, rows: number): Uint8Array {
  // The class is asked for first: it says what the runtime lacks.
  keyArrayClass(keyType);
  const { bits } = keyTraits(keyType);
  const descr = `${bits === 8 ? '|' : '<'}${keyType[0]}${bits / 8}`;
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${rows},), }`;
  // The numbers begin at a multiple of 64 bytes.
  const size = Math.ceil((10 + text.length + 1) / 64) * 64;
  const line = `${text.padEnd(size - 11)}\n`;
  const bytes = Uint8Array.from(`${MAGIC}\u0001\u0000\u0000\u0000${line}`, (c) => c.charCodeAt(0));
  new DataView(bytes.buffer).setUint16(8, line.length, true);
  return bytes;
}
