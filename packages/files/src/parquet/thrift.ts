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
const INT32 = 5;
const INTEGERS = [4, INT32, 6];

/**
 * The numbers, booleans and structs of a struct, by the numbers of their fields. Lists and bytes
 * are left out.
 */
export type Struct = Map<number, number | boolean | Struct>;

/**
 * The memory that the struct takes that begins at `start`, as objects.
 * @throws Error where it does not end within `bytes`, or is none
 */
export function memoryOfStruct(bytes: Uint8Array, start: number): number {
  const walk = new Walk(bytes, start);
  walk.struct(0);
  return walk.memory;
}

/** The struct that begins at `start`, and where it ends. @throws Error where it is none */
export function readStruct(
  bytes: Uint8Array,
  start: number,
): { readonly struct: Struct; readonly end: number } {
  const walk = new Walk(bytes, start);
  return { struct: walk.struct(0), end: walk.at };
}

class Walk {
  memory = 0;
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Where the next byte is. */
  get at(): number {
    return this.#at;
  }

  struct(depth: number): Struct {
    if (depth > DEEPEST) throw new Error('what it says of its data lies too deep');
    this.memory += STRUCT;
    const struct: Struct = new Map();
    let field = 0;
    for (let header = this.#byte(); (header & 15) !== 0; header = this.#byte()) {
      field = header >> 4 === 0 ? signed(this.#varint()) : field + (header >> 4);
      const value = this.#value(header & 15, depth);
      if (value !== undefined) struct.set(field, value);
    }
    return struct;
  }

  #value(type: number, depth: number): number | boolean | Struct | undefined {
    this.memory += VALUE;
    if (type === STRUCT_TYPE) return this.struct(depth + 1);
    if (INTEGERS.includes(type)) return signed(this.#varint());
    if (type === TRUE || type === FALSE) return type === TRUE;
    if (type === BYTE) this.#skip(1);
    else if (type === DOUBLE) this.#skip(8);
    else if (type === LIST) this.#list(depth + 1);
    else if (type === BINARY) {
      const length = this.#varint();
      this.memory += length;
      this.#skip(length);
    } else throw new Error(`it has a value of the unknown type ${type}`);
    return undefined;
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

/** Integers with a sign are stored as 0, −1, 1, −2, … */
const signed = (stored: number): number => (stored % 2 === 0 ? stored / 2 : -(stored + 1) / 2);

/** The bytes of a struct whose fields are in order, and whose integers are of 32 bits. */
export function writeStruct(struct: Struct): Uint8Array {
  const bytes: number[] = [];
  const integer = (value: number): void => {
    let rest = value < 0 ? -2 * value - 1 : 2 * value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  };
  let last = 0;
  for (const [field, value] of struct) {
    const header = (field - last) << 4;
    last = field;
    if (typeof value === 'boolean') bytes.push(header | (value ? TRUE : FALSE));
    else if (typeof value === 'number') {
      bytes.push(header | INT32);
      integer(value);
    } else bytes.push(header | STRUCT_TYPE, ...writeStruct(value));
  }
  return Uint8Array.of(...bytes, 0);
}
