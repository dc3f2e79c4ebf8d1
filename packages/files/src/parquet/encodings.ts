/**
 * The encodings of numbers in Parquet pages. Values are decoded as the file stores them, in 2, 4 or
 * 8 bytes. Every decoder checks that the page has as many values as it should, and not one byte
 * beyond the page is read. https://parquet.apache.org/docs/file-format/data-pages/encodings/
 */

import { copyBytes } from '../stored/take.js';

/** Bytes that are read from the front. */
export interface Cursor {
  readonly view: DataView;
  offset: number;
}

export function cursorOf(bytes: Uint8Array): Cursor {
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
}

/** The bytes that are left. */
export function restOf({ view, offset }: Cursor): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + offset, view.byteLength - offset);
}

export const tooShort = (): Error => new Error('a page ends in the middle of its values');

/** An unsigned number of up to 32 bits, in groups of 7 bits from the lowest on. */
export function readVarint(cursor: Cursor): number {
  let result = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = byteAt(cursor);
    result += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return result;
  }
  throw new Error('a number in a page is too long');
}

function byteAt(cursor: Cursor): number {
  if (cursor.offset >= cursor.view.byteLength) throw tooShort();
  return cursor.view.getUint8(cursor.offset++);
}

/** A signed number of up to 64 bits as two halves of 32: zigzag in groups of 7 bits. */
function readZigzag(cursor: Cursor): { readonly low: number; readonly high: number } {
  let bits = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = byteAt(cursor);
    bits |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) {
      const value = BigInt.asUintN(64, (bits >> 1n) ^ -(bits & 1n));
      return { low: Number(value & 0xffff_ffffn), high: Number(value >> 32n) };
    }
  }
  throw new Error('a number in a page is too long');
}

/** Values are packed by 8, and by DuckDB by 256: so many may follow the last one. */
const PACKED_EXTRA = 255;

/** Numbers are decoded in blocks, because a call for each would take longer than all the rest. */
const BLOCK = 2 ** 12;
/** The numbers that are decoded; nobody keeps them. */
const block = new Uint32Array(BLOCK);

/** Whether some of `count` values of a page, of which `from` is the first, are asked for. */
export type AreWanted = (from: number, count: number) => boolean;

/** Takes some numbers, of which the first is number `first` of all. They are overwritten later. */
export type TakeBlock = (first: number, values: Uint32Array) => void;

/**
 * `count` numbers of `width` bits in runs: of one value, or packed. Calls `take` with one block of
 * them after the other, but for those that `areWanted` refuses. The last packed run may hold more
 * values than are wanted, up to 255.
 */
export function readRuns(
  cursor: Cursor,
  width: number,
  count: number,
  take: TakeBlock,
  areWanted: AreWanted = () => true,
): void {
  if (width > 32) throw new Error(`a page has numbers of ${width} bits`);
  let first = 0;
  let filled = 0;
  let isWanted = areWanted(0, Math.min(BLOCK, count));
  for (let place = 0; place < count; ) {
    const header = readVarint(cursor);
    const isPacked = header % 2 === 1;
    const length = Math.floor(header / 2) * (isPacked ? 8 : 1);
    if (length - (isPacked ? PACKED_EXTRA : 0) > count - place) {
      throw new Error(`a page has runs of other lengths than its ${count} values`);
    }
    const wanted = Math.min(length, count - place);
    const start = cursor.offset;
    let value = 0;
    if (!isPacked) {
      for (let i = 0; i < (width + 7) >> 3; i++) value += byteAt(cursor) * 2 ** (8 * i);
    } else if (start + Math.ceil((wanted * width) / 8) > cursor.view.byteLength) {
      throw tooShort();
    } else {
      // Some writers leave out the end of the last group.
      cursor.offset = Math.min(start + (length / 8) * width, cursor.view.byteLength);
    }
    for (let done = 0; done < wanted; ) {
      const end = filled + Math.min(wanted - done, BLOCK - filled);
      done += end - filled;
      if (isWanted && isPacked) {
        unpack(cursor, start, (done - end + filled) * width, width, filled, end);
      } else if (isWanted) block.fill(value, filled, end);
      filled = end;
      if (filled < BLOCK) continue;
      if (isWanted) take(first, block);
      first += BLOCK;
      filled = 0;
      isWanted = areWanted(first, Math.min(BLOCK, count - first));
    }
    place += wanted;
  }
  if (filled > 0 && isWanted) take(first, block.subarray(0, filled));
}

/**
 * Numbers of `width` bits, one after the other from the lowest bit on, to the block's places
 * [from, to). The first begins at bit `bit` of the bytes at `start`.
 */
function unpack(
  { view }: Cursor,
  start: number,
  bit: number,
  width: number,
  from: number,
  to: number,
): void {
  // Most numbers lie within 4 bytes that begin where they do; the last ones are read bit by bit.
  const first = start + Math.floor(bit / 8);
  const mask = 2 ** width - 1;
  const safe = width > 25 ? 0 : Math.max(0, view.byteLength - 4 - first) * 8;
  let skip = bit % 8;
  let i = from;
  for (; i < to && skip <= safe - 8; i++, skip += width) {
    block[i] = (view.getUint32(first + (skip >> 3), true) >>> (skip & 7)) & mask;
  }
  for (; i < to; i++, skip += width) block[i] = bitsAt(view, first, skip, width);
}

/** Values one after the other. They fill the rest of the page. */
export function readPlain(cursor: Cursor, width: number, count: number, out: Uint8Array): void {
  out.set(wholeRest(cursor, width * count));
}

/** Booleans, a bit each, to a byte each. They fill the rest of the page. */
export function readBits(cursor: Cursor, _width: number, count: number, out: Uint8Array): void {
  const bits = wholeRest(cursor, (count + 7) >> 3);
  for (let i = 0; i < count; i++) out[i] = ((bits[i >> 3] as number) >> (i & 7)) & 1;
}

/** Booleans in runs, after the length of the runs in bytes. */
export function readBooleanRuns(
  cursor: Cursor,
  _width: number,
  count: number,
  out: Uint8Array,
): void {
  const length = readUint32(cursor);
  wholeRest(cursor, length);
  readRuns(cursor, 1, count, (first, values) => {
    for (const value of values) if (value > 1) throw new Error(`a page has a boolean of ${value}`);
    out.set(values, first);
  });
}

/** A number of 4 bytes. */
export function readUint32(cursor: Cursor): number {
  if (cursor.offset + 4 > cursor.view.byteLength) throw tooShort();
  cursor.offset += 4;
  return cursor.view.getUint32(cursor.offset - 4, true);
}

/** All first bytes, then all second bytes, and so on. They fill the rest of the page. */
export function readByteStreamSplit(
  cursor: Cursor,
  width: number,
  count: number,
  out: Uint8Array,
): void {
  const bytes = wholeRest(cursor, width * count);
  for (let byte = 0; byte < width; byte++) {
    const stream = byte * count;
    for (let i = 0; i < count; i++) out[i * width + byte] = bytes[stream + i] as number;
  }
}

/** The rest of a page, which has `size` bytes. */
function wholeRest(cursor: Cursor, size: number): Uint8Array {
  const bytes = restOf(cursor);
  if (bytes.length === size) return bytes;
  throw new Error(`a page has ${bytes.length} bytes of values where ${size} belong`);
}

/** Places in a dictionary of `size` entries. Calls `take` with one block after the other. */
export function readPlaces(
  cursor: Cursor,
  size: number,
  count: number,
  take: TakeBlock,
  areWanted?: AreWanted,
): void {
  const check: TakeBlock = (first, places) => {
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      if (place >= size) {
        throw new Error(`a page names entry ${place} of a dictionary of ${size}`);
      }
    }
    take(first, places);
  };
  readRuns(cursor, byteAt(cursor), count, check, areWanted);
}

/** Places in a dictionary, whose values are copied to `out`. */
export function readDictionaryPlaces(
  cursor: Cursor,
  dictionary: Uint8Array,
  width: number,
  count: number,
  out: Uint8Array,
  areWanted?: AreWanted,
): void {
  const size = dictionary.length / width;
  const read = (take: TakeBlock): void => readPlaces(cursor, size, count, take, areWanted);
  if (width === 4 || width === 8) {
    // Whole words: several times as fast as bytes.
    const words = width / 4;
    const [from, to] = [wordsOf(dictionary), wordsOf(out)];
    read((first, places) => {
      if (words === 1) {
        for (let i = 0; i < places.length; i++) to[first + i] = from[places[i] as number] as number;
        return;
      }
      for (let i = 0, at = 2 * first; i < places.length; i++) {
        const place = 2 * (places[i] as number);
        to[at++] = from[place] as number;
        to[at++] = from[place + 1] as number;
      }
    });
    return;
  }
  read((first, places) => {
    for (let i = 0, at = first * width; i < places.length; i++) {
      const start = (places[i] as number) * width;
      at = copyBytes(dictionary, start, start + width, out, at);
    }
  });
}

const wordsOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, byteLength / 4);

/** Differences of neighbours in packed blocks: integers of `width` bytes, modulo their size. */
export function readDelta(cursor: Cursor, width: number, count: number, out: Uint8Array): void {
  const [blockSize, miniblocks, total] = [
    readVarint(cursor),
    readVarint(cursor),
    readVarint(cursor),
  ];
  const perMiniblock = blockSize / miniblocks;
  if (total !== count || !(perMiniblock >= 32 && perMiniblock % 32 === 0)) {
    throw new Error(
      `a page has ${total} differences in blocks of ${blockSize} for ${count} values`,
    );
  }
  const to = wordsOf(out);
  const words = width / 4;
  let place = 0;
  let low = 0;
  let high = 0;
  /** Adds to the value before, and stores the sum. */
  const add = (addLow: number, addHigh: number): void => {
    const sum = low + addLow;
    low = sum >>> 0;
    high = (high + addHigh + Math.floor(sum / 2 ** 32)) >>> 0;
    to[place * words] = low;
    if (words === 2) to[place * 2 + 1] = high;
    place++;
  };
  const first = readZigzag(cursor);
  add(first.low, first.high);
  while (place < count) {
    // A block: the smallest difference, the widths of the miniblocks, the miniblocks.
    const least = readZigzag(cursor);
    const widths = restOf(cursor).subarray(0, miniblocks);
    cursor.offset += miniblocks;
    for (let i = 0; i < miniblocks && place < count; i++) {
      const bits = widths[i];
      if (bits === undefined) throw tooShort();
      // DuckDB takes 33 bits for differences of numbers of 32; the numbers are right modulo 2^32.
      if (bits > 64) throw new Error(`a page has differences of ${bits} bits`);
      readWide(cursor, bits, Math.min(perMiniblock, count - place), (moreLow, moreHigh) =>
        add(least.low + moreLow, least.high + moreHigh),
      );
      cursor.offset += (perMiniblock * bits) / 8;
    }
  }
}

/** `count` numbers of up to 64 bits as halves of 32 bits, from where the cursor is. */
function readWide(
  { view, offset }: Cursor,
  width: number,
  count: number,
  store: (low: number, high: number) => void,
): void {
  if (offset + Math.ceil((count * width) / 8) > view.byteLength) throw tooShort();
  for (let i = 0, bit = 0; i < count; i++, bit += width) {
    store(
      bitsAt(view, offset, bit, Math.min(width, 32)),
      width > 32 ? bitsAt(view, offset, bit + 32, width - 32) : 0,
    );
  }
}

/** `width` bits, at most 32, from bit `bit` of the bytes at `offset` on. */
function bitsAt(view: DataView, offset: number, bit: number, width: number): number {
  let result = 0;
  let done = 0;
  let at = offset + (bit >>> 3);
  let skip = bit & 7;
  while (done < width) {
    const take = Math.min(8 - skip, width - done);
    result += ((view.getUint8(at++) >>> skip) & ((1 << take) - 1)) * 2 ** done;
    done += take;
    skip = 0;
  }
  return result;
}
