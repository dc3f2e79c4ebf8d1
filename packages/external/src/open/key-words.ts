/**
 * Keys of records as 32-bit words: compared as unsigned numbers, the first word first, they have
 * the order of the keys. Descending keys are inverted. Ties have equal words, NaNs among them.
 */

import {
  type KeyArray,
  keyTraits,
  type OrderWords,
  orderWords,
  roomForWords,
} from '@keysweep/core';
import type { Column } from 'keysweep';
import { bytesOf, type Key, type Layout } from './layout.js';

/** Records that are looked at together: their words stay in the processor's cache. */
export const BLOCK: number = 2 ** 13;

/** Makes the words of one key of the records in `bytes`, at most BLOCK of them. */
interface Reader {
  readonly words: number;
  read(bytes: Uint8Array): readonly Uint32Array[];
}

/** The key words of records. */
export class KeyWords {
  /** Words of a record. */
  readonly count: number;
  readonly #readers: readonly Reader[];

  constructor({ width, keys, numbers }: Layout) {
    this.#readers = keys.map((key) => {
      if (key.type === undefined) return bytesReader(width, key);
      return numberReader(width, key, numbers !== undefined);
    });
    this.count = this.#readers.reduce((sum, { words }) => sum + words, 0);
  }

  /**
   * One array for each word, of at most BLOCK records: `bytes` are whole records, whose memory
   * begins at a multiple of 8. They are valid until the next call.
   */
  of(bytes: Uint8Array): readonly Uint32Array[] {
    return this.#readers.flatMap(({ read }) => read(bytes));
  }
}

/** Four bytes a word, the first on top; the last word of a key may have fewer. */
function bytesReader(width: number, { at, bytes, order }: Key): Reader {
  const words = Math.ceil(bytes / 4);
  const rooms = Array.from({ length: words }, () => new Uint32Array(BLOCK));
  const flip = order === 'descending' ? -1 : 0;
  return {
    words,
    read: (records) => {
      const count = records.length / width;
      return rooms.map((room, word) => {
        const first = at + 4 * word;
        const used = Math.min(4, at + bytes - first);
        if (used === 4) readWhole(records, width, first, flip, count, room);
        else readPart(records, width, first, used, flip, count, room);
        return room.subarray(0, count);
      });
    },
  };
}

function readWhole(
  records: Uint8Array,
  width: number,
  first: number,
  flip: number,
  count: number,
  room: Uint32Array,
): void {
  for (let i = 0, at = first; i < count; i++, at += width) {
    const top = ((records[at] as number) << 24) | ((records[at + 1] as number) << 16);
    room[i] = (top | ((records[at + 2] as number) << 8) | (records[at + 3] as number)) ^ flip;
  }
}

function readPart(
  records: Uint8Array,
  width: number,
  first: number,
  used: number,
  flip: number,
  count: number,
  room: Uint32Array,
): void {
  for (let i = 0; i < count; i++) {
    let word = 0;
    for (let byte = 0; byte < used; byte++) {
      word |= (records[i * width + first + byte] as number) << (24 - 8 * byte);
    }
    room[i] = word ^ flip;
  }
}

/** Arrays of as many bits as a number; core reads them as what the type says. */
const ROOMS = { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array, 64: BigUint64Array } as const;

/** A word for a number of up to 32 bits, else two: the high one first. */
function numberReader(width: number, { at, type, order }: Key, isBare: boolean): Reader {
  const keyType = type as Exclude<typeof type, undefined>;
  const { bits } = keyTraits(keyType);
  const RoomClass = ROOMS[bits];
  const taken = new RoomClass(isBare ? 0 : BLOCK);
  const takenBytes = new Uint8Array(taken.buffer);
  const size = bytesOf(keyType);
  const column = (keys: KeyArray) => ({ keys, keyType, order });
  const room = roomForWords(column(taken), BLOCK);
  const listed = ({ lows, highs }: OrderWords) => (bits === 64 ? [highs, lows] : [lows]);
  return {
    words: bits === 64 ? 2 : 1,
    read: (records) => {
      const count = records.length / width;
      if (isBare) {
        const keys = new RoomClass(records.buffer as ArrayBuffer, records.byteOffset, count);
        return listed(orderWords(column(keys), room));
      }
      for (let i = 0, from = at, to = 0; i < count; i++, from += width) {
        for (let byte = 0; byte < size; byte++) takenBytes[to++] = records[from + byte] as number;
      }
      return listed(orderWords(column(taken.subarray(0, count)), room));
    },
  };
}

/** A column of keys that argsort takes: all ascending. */
export interface KeyColumn {
  readonly keys: Uint32Array | BigUint64Array | { width: number; bytes: Uint8Array };
  /** The words of the column, `stride` of them a record: equal for equal keys. */
  readonly words: Uint32Array;
  readonly stride: number;
}

/** The most words for which columns are numbers. Longer keys are bytes. */
const WORDS_AS_NUMBERS = 4;

/** Bytes that the columns of a record take. */
export const columnBytes = (words: number): number => 4 * words;

/** Bytes that argsort of the columns takes beside them for a record. */
export function argsortBytes(words: number): number {
  if (words > WORDS_AS_NUMBERS) return 64;
  return (words === 1 ? 16 : 32) + (words > 2 ? 4 : 0);
}

/** The columns of `records`, in `memory`, which begins at a multiple of 8. */
export function keyColumns(
  keyWords: KeyWords,
  width: number,
  records: Uint8Array,
  memory: Uint8Array,
): readonly KeyColumn[] {
  const count = records.length / width;
  const { columns, place } = roomForColumns(keyWords.count, count, memory);
  for (let first = 0; first < count; first += BLOCK) {
    const last = Math.min(first + BLOCK, count);
    const words = keyWords.of(records.subarray(first * width, last * width));
    for (const [word, values] of words.entries()) {
      const { into, at, stride } = place(word);
      for (let i = 0, to = first * stride + at; i < values.length; i++, to += stride) {
        into[to] = values[i] as number;
      }
    }
  }
  const [first] = columns as [KeyColumn, ...KeyColumn[]];
  if (first.keys instanceof Uint32Array || first.keys instanceof BigUint64Array) return columns;
  // Bytes are compared from the first on, and words hold it on top.
  Buffer.from(memory.buffer, memory.byteOffset, first.words.byteLength).swap32();
  return columns;
}

/** Where one word of each record goes: the first to `at`, the next `stride` words further. */
interface Place {
  readonly into: Uint32Array;
  readonly at: number;
  readonly stride: number;
}

function roomForColumns(
  words: number,
  count: number,
  { buffer, byteOffset }: Uint8Array,
): { columns: readonly KeyColumn[]; place: (word: number) => Place } {
  const view = (from: number, length: number) =>
    new Uint32Array(buffer as ArrayBuffer, byteOffset + 4 * from * count, length * count);
  if (words > WORDS_AS_NUMBERS) {
    const all = view(0, words);
    const bytes = new Uint8Array(all.buffer, all.byteOffset, all.byteLength);
    const column = { keys: { width: 4 * words, bytes }, words: all, stride: words };
    return { columns: [column], place: (at) => ({ into: all, at, stride: words }) };
  }
  const columns = Array.from({ length: Math.ceil(words / 2) }, (_, i): KeyColumn => {
    const stride = Math.min(2, words - 2 * i);
    const both = view(2 * i, stride);
    if (stride === 1) return { keys: both, words: both, stride };
    const keys = new BigUint64Array(both.buffer as ArrayBuffer, both.byteOffset, count);
    return { keys, words: both, stride };
  });
  return {
    columns,
    place: (word) => {
      const { words: into, stride } = columns[word >> 1] as KeyColumn;
      // Of two words the high one comes first, and lies behind the low one.
      return { into, at: stride === 2 ? 1 - (word & 1) : 0, stride };
    },
  };
}

/** The columns as argsort takes them. */
export const argsortColumns = (columns: readonly KeyColumn[]): Column[] =>
  columns.map(({ keys }) => (ArrayBuffer.isView(keys) ? keys : { keys }));

/** Whether the records `i` and `j` have equal keys. */
export function areEqual(columns: readonly KeyColumn[], i: number, j: number): boolean {
  for (const { words, stride } of columns) {
    for (let word = 0; word < stride; word++) {
      if (words[i * stride + word] !== words[j * stride + word]) return false;
    }
  }
  return true;
}
