/**
 * Checks what Parquet says of its data before a library reads it: it is written by Thrift's compact
 * protocol, in which a list of five bytes can claim 2^31 elements, and lists lie within lists.
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */

/** Objects within objects: Parquet has at most eight. */
const DEEPEST = 32;
/** Bytes of memory, with some to spare, of a struct and of a value as objects of JavaScript. */
const STRUCT = 256;
const VALUE = 64;

/** The types of values. */
const [TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, STRUCT_TYPE] = [1, 2, 3, 7, 8, 9, 12];
const INTEGERS = [4, 5, 6];

/**
 * The memory that the struct takes that begins at `start`, as objects.
 * @throws Error where it does not end within `bytes`, or is none
 */
export function memoryOfStruct(bytes: Uint8Array, start: number): number {
  const walk = new Walk(bytes, start);
  walk.struct(0);
  return walk.memory;
}

class Walk {
  memory = 0;
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  struct(depth: number): void {
    if (depth > DEEPEST) throw new Error('what it says of its data lies too deep');
    this.memory += STRUCT;
    for (let header = this.#byte(); (header & 15) !== 0; header = this.#byte()) {
      if (header >> 4 === 0) this.#varint();
      this.#value(header & 15, depth);
    }
  }

  #value(type: number, depth: number): void {
    this.memory += VALUE;
    if (type === BYTE) this.#skip(1);
    else if (type === DOUBLE) this.#skip(8);
    else if (type === LIST) this.#list(depth + 1);
    else if (type === STRUCT_TYPE) this.struct(depth + 1);
    else if (INTEGERS.includes(type)) this.#varint();
    else if (type === BINARY) {
      const length = this.#varint();
      this.memory += length;
      this.#skip(length);
    } else if (type !== TRUE && type !== FALSE) {
      throw new Error(`it has a value of the unknown type ${type}`);
    }
  }

  #list(depth: number): void {
    if (depth > DEEPEST) throw new Error('what it says of its data lies too deep');
    const header = this.#byte();
    const type = header & 15;
    const count = header >> 4 === 15 ? this.#varint() : header >> 4;
    // Every element takes a byte at least.
    if (count > this.#bytes.length - this.#at) throw this.#tooShort();
    for (let i = 0; i < count; i++)
      this.#value(type === TRUE || type === FALSE ? BYTE : type, depth);
  }

  #byte(): number {
    this.#skip(1);
    return this.#bytes[this.#at - 1] as number;
  }

  #skip(count: number): void {
    if (count > this.#bytes.length - this.#at) throw this.#tooShort();
    this.#at += count;
  }

  /** A number in groups of 7 bits, at most 64 in all. */
  #varint(): number {
    let result = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      result += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return result;
    }
    throw new Error('a number in what it says of its data is too long');
  }

  #tooShort(): Error {
    return new Error('what it says of its data ends too early');
  }
}
