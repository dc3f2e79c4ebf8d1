/** Finds keys between two words by a kernel, in a memory of its own. */

import {
  bitsOf,
  FIELD_ROWS,
  type KeyFinder,
  type KeyType,
  keyTraits,
  keyTransform,
  type Order,
  setArray,
} from '@keysweep/core';
import { type SelectionKernel, SOUGHT, selectionBytes } from '@keysweep/kernels/cpu';
import { linkInOwnMemory } from '../arena/own-memory.js';

/** Addresses in the memory: the block, a slice's keys with what is read after them, the rows. */
const BLOCK_AT = 0;
const KEYS_AT = 128;
const ROWS_AT = KEYS_AT + 8 * FIELD_ROWS + 128;
const END = ROWS_AT + 4 * FIELD_ROWS;

/** Compiles the kernel: half a millisecond. Undefined where there is no memory for it. */
export function linkSelection(): KeyFinder | undefined {
  const linked = linkInOwnMemory<SelectionKernel>(new WebAssembly.Module(selectionBytes()), END);
  if (linked === undefined) return undefined;
  const { find } = linked.kernel;
  const { buffer } = linked;
  const fields = new Uint32Array(buffer, BLOCK_AT, SOUGHT.bytes / 4);
  const room = {
    1: new Uint8Array(buffer, KEYS_AT, FIELD_ROWS),
    2: new Uint16Array(buffer, KEYS_AT, FIELD_ROWS),
    4: new Uint32Array(buffer, KEYS_AT, 2 * FIELD_ROWS),
  };
  const rows = new Uint32Array(buffer, ROWS_AT, FIELD_ROWS);
  return ({ keyType, order, first, last }) => {
    const { bits } = keyTraits(keyType);
    const block = blockOf(keyType, bits, order, first, last);
    const isDescending = order === 'descending';
    return (keys, row, maxTies) => {
      const elements = bitsOf(keys);
      fields.set(block);
      fields[SOUGHT.maxTies / 4] = maxTies;
      fields[SOUGHT.firstRow / 4] = row;
      setArray(room[elements.BYTES_PER_ELEMENT as 1 | 2 | 4], elements);
      const found = find(BLOCK_AT, keys.length);
      const below = fields[SOUGHT.below / 4] as number;
      const ties = fields[SOUGHT.ties / 4] as number;
      const between = found + Math.max(ties - maxTies, 0);
      const after = keys.length - between - below;
      const before = first === 0n ? 0 : isDescending ? after : below;
      return { rows: rows.subarray(0, found), before, ties };
    };
  };
}

/** The block of what is sought. In descending order words are inverted: the last is the least. */
function blockOf(
  keyType: KeyType,
  bits: number,
  order: Order,
  first: bigint,
  last: bigint,
): Uint32Array {
  const { negative, positive, bias, ceiling } = keyTransform(keyType);
  // Narrow keys are the upper bits of 32.
  const width = BigInt(Math.max(bits, 32));
  const shift = width - BigInt(bits);
  const top = 1n << (width - 1n);
  const all = (1n << BigInt(bits)) - 1n;
  const [least, most] = order === 'descending' ? [all ^ last, all ^ first] : [first, last];
  const tie = order === 'descending' ? least : most;
  const block = new DataView(new ArrayBuffer(SOUGHT.bytes));
  const set = (at: number, word: bigint): void => block.setBigUint64(at, word, true);
  const signed = (word: bigint): bigint => (word << shift) ^ top;
  set(SOUGHT.differs, (negative ^ positive) << shift);
  // The mask of positive keys has no bit but the top one, if that: to take it away is the same.
  set(SOUGHT.bias, signed(bias ^ positive));
  set(SOUGHT.ceiling, signed(ceiling));
  set(SOUGHT.least, signed(least));
  // Ties with the ceiling have words above it.
  set(SOUGHT.most, most < ceiling ? signed(most) : top - 1n);
  set(SOUGHT.tie, signed(tie));
  block.setUint32(SOUGHT.width, bits / 8, true);
  block.setUint32(SOUGHT.keys, KEYS_AT, true);
  block.setUint32(SOUGHT.rows, ROWS_AT, true);
  // Nothing comes before the first of all words.
  block.setUint32(SOUGHT.isCounted, first > 0n ? 1 : 0, true);
  return new Uint32Array(block.buffer);
}
