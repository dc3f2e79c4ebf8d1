/**
 * What pages are made of, written by hand at random and cut at every byte: runs, differences, bits
 * and structs of Thrift.
 */

import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import {
  cursorOf,
  readBits,
  readBooleanRuns,
  readByteStreamSplit,
  readDelta,
  readPlain,
  readRuns,
  readUint32,
  readVarint,
} from '../src/parquet/encodings.js';
import { memoryOfStruct, readStruct, type Struct, writeStruct } from '../src/parquet/thrift.js';

const random = testRandom();

/** A cursor over bytes with others around them, which none may read. */
function within(bytes: readonly number[]): ReturnType<typeof cursorOf> {
  const all = Uint8Array.from([0xff, ...bytes, ...Array(16).fill(0xff)]);
  return cursorOf(all.subarray(1, 1 + bytes.length));
}

function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

/** Numbers of `width` bits, the first one in the lowest bits. */
function packed(values: readonly bigint[], width: number): number[] {
  let bits = 0n;
  for (const [i, value] of values.entries()) bits |= value << BigInt(i * width);
  return Array.from({ length: Math.ceil((values.length * width) / 8) }, (_, i) =>
    Number((bits >> BigInt(8 * i)) & 255n),
  );
}

const below = (bits: number): bigint =>
  ((BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32))) &
  ((1n << BigInt(bits)) - 1n);

describe(`numbers, seed ${random.seed}`, () => {
  it('have groups of seven bits, at most 35', () => {
    for (const value of [0, 1, 127, 128, 16_383, 16_384, 2 ** 28 - 1, 2 ** 28, 2 ** 32 - 1]) {
      const cursor = within([...varint(value), 1]);
      expect([readVarint(cursor), cursor.offset]).toEqual([value, varint(value).length]);
    }
    expect(() => readVarint(within([128, 128]))).toThrow('ends in the middle');
    expect(() => readVarint(within([128, 128, 128, 128, 128, 1]))).toThrow('is too long');
  });

  it('of four bytes end in their page', () => {
    const cursor = within([1, 2, 3, 4, 5]);
    expect([readUint32(cursor), cursor.offset]).toEqual([0x04030201, 4]);
    expect(() => readUint32(cursor)).toThrow('ends in the middle');
    expect(() => readUint32(within([1, 2, 3]))).toThrow('ends in the middle');
    expect(readUint32(within([255, 255, 255, 255]))).toBe(2 ** 32 - 1);
  });
});

describe(`runs, seed ${random.seed}`, () => {
  /** Random runs, and the values that they hold. */
  function runs(width: number, count: number): { bytes: number[]; values: bigint[] } {
    const values: bigint[] = [];
    const bytes: number[] = [];
    while (values.length < count) {
      const left = count - values.length;
      if (random.below(2) === 0) {
        const n = 1 + random.below(Math.min(left, random.below(2) ? 5000 : 9));
        const value = below(width);
        for (let i = 0; i < n; i++) values.push(value);
        bytes.push(...varint(2 * n), ...packed([value], 8 * Math.ceil(width / 8)));
      } else {
        const groups = 1 + random.below(Math.ceil(Math.min(left, 300) / 8));
        const some = Array.from({ length: 8 * groups }, () => below(width));
        values.push(...some);
        bytes.push(...varint(2 * groups + 1), ...packed(some, width));
      }
    }
    return { bytes, values: values.slice(0, count) };
  }

  it('of numbers of every width are read, and end in their page', () => {
    for (let width = 0; width <= 32; width++) {
      for (const count of [1, 7, 8, 9, 100]) {
        const { bytes, values } = runs(width, count);
        const found = new Uint32Array(count);
        const cursor = within(bytes);
        readRuns(cursor, width, count, (first, some) => found.set(some, first));
        expect([...found]).toEqual(values.map(Number));
        expect(cursor.offset).toBe(bytes.length);
      }
    }
    expect(() => readRuns(within([2, 1]), 33, 1, () => {})).toThrow('numbers of 33 bits');
  });

  it('come in blocks of 4,096, of which some are not wanted', () => {
    for (const count of [4095, 4096, 4097, 8192, 13_000]) {
      const { bytes, values } = runs(9, count);
      const asked: number[][] = [];
      const taken: number[][] = [];
      const found = new Uint32Array(count);
      readRuns(
        within(bytes),
        9,
        count,
        (first, some) => {
          found.set(some, first);
          taken.push([first, some.length]);
        },
        (first, n) => {
          asked.push([first, n]);
          return first !== 4096;
        },
      );
      const blocks = Array.from({ length: Math.ceil(count / 4096) }, (_, i) => [
        4096 * i,
        Math.min(4096, count - 4096 * i),
      ]);
      expect(taken).toEqual(blocks.filter(([first]) => first !== 4096));
      expect(asked.filter(([, n]) => n !== 0)).toEqual(blocks);
      const wanted = values.map((value, i) => (i >> 12 === 1 ? 0 : Number(value)));
      expect([...found]).toEqual(wanted);
    }
  });

  it('may leave out the end of the last group, and hold 255 values too many', () => {
    const take = (bytes: number[], width: number, count: number): number[] => {
      const found = new Uint32Array(count);
      readRuns(within(bytes), width, count, (first, some) => found.set(some, first));
      return [...found];
    };
    expect(take([3, 0xe4, 0], 4, 3)).toEqual([4, 14, 0]);
    expect(() => take([3, 0xe4], 4, 3)).toThrow('ends in the middle');
    expect(take([2 * 32 + 1, 1], 1, 1)).toEqual([1]);
    expect(() => take([2 * 33 + 1, 1], 1, 1)).toThrow('runs of other lengths than its 1 values');
    expect(() => take([2 * 2, 1], 1, 1)).toThrow('runs of other lengths');
  });
});

describe(`booleans, seed ${random.seed}`, () => {
  it('are bits that fill their page', () => {
    for (const count of [1, 7, 8, 9, 20]) {
      const values = Array.from({ length: count }, () => random.below(2));
      const bytes = packed(values.map(BigInt), 1);
      const out = new Uint8Array(count);
      readBits(within(bytes), 1, count, out);
      expect([...out]).toEqual(values);
      for (const wrong of [bytes.slice(1), [...bytes, 0]]) {
        expect(() => readBits(within(wrong), 1, count, out)).toThrow(
          `a page has ${wrong.length} bytes of values where ${bytes.length} belong`,
        );
      }
    }
  });

  it('may be runs of 0 and 1 only', () => {
    const read = (bytes: number[], count: number): number[] => {
      const out = new Uint8Array(count);
      readBooleanRuns(within(bytes), 1, count, out);
      return [...out];
    };
    expect(read([2, 0, 0, 0, 2 * 3, 1], 3)).toEqual([1, 1, 1]);
    expect(read([4, 0, 0, 0, 2 * 1, 0, 3, 0b101], 4)).toEqual([0, 1, 0, 1]);
    expect(() => read([2, 0, 0, 0, 2 * 3, 2], 3)).toThrow('a page has a boolean of 2');
    expect(() => read([3, 0, 0, 0, 2 * 3, 1], 3)).toThrow('has 2 bytes of values where 3 belong');
  });
});

describe('plain values', () => {
  it('fill the rest of their page, one after the other or byte by byte', () => {
    const bytes = Array.from({ length: 12 }, (_, i) => i + 1);
    const plain = new Uint8Array(12);
    readPlain(within(bytes), 4, 3, plain);
    expect([...plain]).toEqual(bytes);
    const split = new Uint8Array(12);
    readByteStreamSplit(within(bytes), 4, 3, split);
    expect([...split]).toEqual([1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12]);
    for (const read of [readPlain, readByteStreamSplit]) {
      for (const wrong of [bytes.slice(1), [...bytes, 0]]) {
        expect(() => read(within(wrong), 4, 3, plain)).toThrow('where 12 belong');
      }
    }
  });
});

describe(`differences, seed ${random.seed}`, () => {
  const zigzag = (value: bigint): number[] => varint(value < 0n ? -2n * value - 1n : 2n * value);

  /** A page of differences, in blocks of 128 in four parts. */
  function page(values: readonly bigint[]): number[] {
    const bytes = [...varint(128), 4, ...varint(values.length), ...zigzag(values[0] as bigint)];
    const steps = values
      .slice(1)
      .map((value, i) => BigInt.asIntN(64, value - (values[i] as bigint)));
    for (let from = 0; from < steps.length; from += 128) {
      const block = steps.slice(from, from + 128);
      const least = BigInt64Array.from(block).sort()[0] as bigint;
      const over = block.map((step) => BigInt.asUintN(64, step - least));
      const parts = [0, 32, 64, 96].map((at) => over.slice(at, at + 32));
      const widths = parts.map((part) =>
        Math.max(0, ...part.map((n) => (n === 0n ? 0 : n.toString(2).length))),
      );
      bytes.push(...zigzag(least), ...widths);
      for (const [i, part] of parts.entries()) {
        if (part.length === 0) continue;
        const padded = [...part, ...Array(32 - part.length).fill(0n)];
        bytes.push(...packed(padded, widths[i] as number));
      }
    }
    return bytes;
  }

  const read = (bytes: number[], count: number): { values: bigint[]; end: number } => {
    const out = new BigInt64Array(count);
    const cursor = within(bytes);
    readDelta(cursor, 8, count, new Uint8Array(out.buffer));
    return { values: [...out], end: cursor.offset };
  };

  it('of integers of 64 bits, whatever bits they take', () => {
    for (const bits of [1, 5, 31, 32, 33, 50, 63, 64]) {
      for (const count of [1, 2, 33, 129, 130, 300]) {
        const values = Array.from({ length: count }, () => BigInt.asIntN(64, below(bits)));
        const bytes = page(values);
        expect(read(bytes, count)).toEqual({ values, end: bytes.length });
      }
    }
  });

  it('of integers of 32 bits are right modulo 2^32', () => {
    const values = Array.from({ length: 200 }, () => BigInt.asIntN(32, below(32)));
    const out = new Int32Array(values.length);
    readDelta(within(page(values)), 4, values.length, new Uint8Array(out.buffer));
    expect([...out]).toEqual(values.map(Number));
  });

  it('end in their page, and are as many as it has', () => {
    // A first value, and two parts that are full.
    const values = Array.from({ length: 65 }, () => below(20));
    const bytes = page(values);
    for (let cut = 0; cut < bytes.length; cut++) {
      expect(() => read(bytes.slice(0, cut), 65), `${cut}`).toThrow();
    }
    expect(() => read(bytes, 64)).toThrow('has 65 differences in blocks of 128 for 64 values');
    const sized = (block: number, parts: number) => () => read([...varint(block), parts, 1, 2], 1);
    for (const [block, parts] of [
      [128, 0],
      [128, 8],
      [128, 3],
      [0, 1],
      [31, 1],
      [48, 1],
    ] as const) {
      expect(sized(block, parts)).toThrow(`in blocks of ${block} for 1 values`);
    }
    expect(sized(32, 1)()).toEqual({ values: [1n], end: 4 });
    const wide = [...varint(32), 1, 2, 0, 0, 65, ...Array(300).fill(0)];
    expect(() => read(wide, 2)).toThrow('a page has differences of 65 bits');
    wide[5] = 64;
    expect(read(wide, 2).values).toEqual([0n, 0n]);
  });
});

describe(`structs, seed ${random.seed}`, () => {
  function struct(depth: number): Struct {
    const fields: Struct = new Map();
    let field = 0;
    for (let i = random.below(5); i > 0; i--) {
      field += 1 + random.below(14);
      const kind = random.below(depth > 0 ? 3 : 2);
      if (kind === 0) fields.set(field, random.below(2) === 1);
      else if (kind === 1) fields.set(field, random.below(2 ** 31) * (random.below(2) ? 1 : -1));
      else fields.set(field, struct(depth - 1));
    }
    return fields;
  }

  const isSame = (a: unknown, b: unknown): boolean => {
    if (!(a instanceof Map) || !(b instanceof Map)) return a === b || (a === 0 && b === 0);
    return a.size === b.size && [...a].every(([field, value]) => isSame(value, b.get(field)));
  };

  const memoryOf = (fields: Struct): number => {
    let bytes = 256;
    for (const value of fields.values()) bytes += 64 + (value instanceof Map ? memoryOf(value) : 0);
    return bytes;
  };

  it('are read as they were written, and counted, and end in their bytes', () => {
    for (let i = 0; i < 100; i++) {
      const fields = struct(3);
      const bytes = writeStruct(fields);
      const around = Uint8Array.of(9, 9, ...bytes, 9);
      const { struct: found, end } = readStruct(around, 2);
      expect(isSame(found, fields)).toBe(true);
      expect(end).toBe(2 + bytes.length);
      expect(memoryOfStruct(around, 2)).toBe(memoryOf(fields));
      for (let cut = 0; cut < bytes.length; cut++) {
        expect(() => readStruct(bytes.subarray(0, cut), 0)).toThrow('ends too early');
      }
    }
  });

  it('have fields of other kinds, which are passed over', () => {
    // A byte, a double, text, lists of bytes, of booleans and of structs; a long field number.
    const bytes = [0x13, 7, 0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0x18, 3, 65, 66, 67, 0x19, 0x23, 5, 6];
    const more = [0x19, 0x21, 1, 2, 0x19, 0x1c, 0x15, 4, 0, 0x05, 200, 1, 10, 0x16, 3, 0x14, 1, 0];
    const all = Uint8Array.from([...bytes, ...more]);
    const { struct, end } = readStruct(all, 0);
    expect([...struct]).toEqual([
      [100, 5],
      [101, -2],
      [102, -1],
    ]);
    expect(end).toBe(all.length);
    // Nine values and five elements, two structs, three bytes of text.
    const elements = 2 + 2 + 1;
    expect(memoryOfStruct(all, 0)).toBe(2 * 256 + 64 * (9 + elements + 1) + 3);
    for (let cut = 0; cut < all.length; cut++) {
      expect(() => readStruct(all.subarray(0, cut), 0)).toThrow('ends too early');
    }
  });

  it('lie within one another 32 deep, and have numbers of 64 bits', () => {
    const nested = (depth: number) =>
      Uint8Array.from([...Array(depth).fill(0x1c), ...Array(depth + 1).fill(0)]);
    expect(() => readStruct(nested(32), 0)).not.toThrow();
    expect(() => readStruct(nested(33), 0)).toThrow('lies too deep');
    const lists = (depth: number) => Uint8Array.from([...Array(depth).fill(0x19), 0x03, 0]);
    expect(() => readStruct(lists(32), 0)).not.toThrow();
    expect(() => readStruct(lists(33), 0)).toThrow('lies too deep');
    expect(() => readStruct(Uint8Array.of(0x15, ...Array(10).fill(128), 0, 0), 0)).toThrow(
      'is too long',
    );
    expect(() => readStruct(Uint8Array.of(0x15, ...Array(9).fill(128), 0, 0), 0)).not.toThrow();
    expect(() => readStruct(Uint8Array.of(0x1a, 0), 0)).toThrow('of the unknown type 10');
    // A list says how long it is, and has a byte at least for each element.
    const long = (count: number) => Uint8Array.of(0x19, 0xf3, ...varint(count), 1, 1, 0);
    expect(() => readStruct(long(2), 0)).not.toThrow();
    expect(() => readStruct(long(4), 0)).toThrow('ends too early');
  });
});
