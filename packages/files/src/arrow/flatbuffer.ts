/**
 * Reads tables of the FlatBuffers format, in which Arrow writes what it says of its data. Every
 * access is checked by the view: one beyond its end is a RangeError.
 * https://flatbuffers.dev/internals/
 */

/** Every runtime has it, but no types that are shared by Node.js and pages. */
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };

/** A table: its fields are found by their number in the table's schema. */
export class FlatTable {
  readonly #view: DataView;
  readonly #at: number;

  constructor(view: DataView, at: number) {
    this.#view = view;
    this.#at = at;
  }

  /** The buffer that the table is in, and where. */
  get place(): { readonly bytes: Uint8Array; readonly at: number } {
    const { buffer, byteOffset, byteLength } = this.#view;
    return { bytes: new Uint8Array(buffer, byteOffset, byteLength), at: this.#at };
  }

  /** The table that a buffer begins with. */
  static rootOf(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, view.getUint32(0, true));
  }

  /** Place of the field, or 0 where the table does not have it. */
  #find(field: number): number {
    const fields = this.#at - this.#view.getInt32(this.#at, true);
    const size = this.#view.getUint16(fields, true);
    const entry = 4 + 2 * field;
    const offset = entry < size ? this.#view.getUint16(fields + entry, true) : 0;
    return offset === 0 ? 0 : this.#at + offset;
  }

  uint8(field: number, absent: number): number {
    const at = this.#find(field);
    return at === 0 ? absent : this.#view.getUint8(at);
  }

  int16(field: number, absent: number): number {
    const at = this.#find(field);
    return at === 0 ? absent : this.#view.getInt16(at, true);
  }

  int32(field: number, absent: number): number {
    const at = this.#find(field);
    return at === 0 ? absent : this.#view.getInt32(at, true);
  }

  int64(field: number): number {
    const at = this.#find(field);
    return at === 0 ? 0 : int64At(this.#view, at);
  }

  table(field: number): FlatTable | undefined {
    const at = this.#find(field);
    return at === 0 ? undefined : new FlatTable(this.#view, this.#follow(at));
  }

  /** Text, or '' where there is none. */
  text(field: number): string {
    const { start, length } = this.#vector(field, 1);
    const { buffer, byteOffset } = this.#view;
    return new TextDecoder().decode(new Uint8Array(buffer, byteOffset + start, length));
  }

  /** How many elements a vector of `size` bytes each has, of which texts have one a byte. */
  count(field: number, size: number): number {
    return this.#vector(field, size).length;
  }

  tables(field: number): FlatTable[] {
    const { start, length } = this.#vector(field, 4);
    return Array.from({ length }, (_, i) => new FlatTable(this.#view, this.#follow(start + 4 * i)));
  }

  /** A vector of structs of `size` bytes, each read by `read` from a view of its bytes. */
  structs<T>(field: number, size: number, read: (struct: DataView) => T): T[] {
    const { start, length } = this.#vector(field, size);
    const { buffer, byteOffset } = this.#view;
    return Array.from({ length }, (_, i) =>
      read(new DataView(buffer, byteOffset + start + i * size, size)),
    );
  }

  #follow(at: number): number {
    return at + this.#view.getUint32(at, true);
  }

  /** A vector's elements, which lie within the view whatever length it claims. */
  #vector(field: number, size: number): { start: number; length: number } {
    const at = this.#find(field);
    if (at === 0) return { start: 0, length: 0 };
    const start = this.#follow(at) + 4;
    const length = this.#view.getUint32(start - 4, true);
    if (start + length * size > this.#view.byteLength) {
      throw new Error(`a list of ${length} elements is longer than what it lies in`);
    }
    return { start, length };
  }
}

/** A 64-bit integer. One that no number holds is no length or place in any file. */
export function int64At(view: DataView, at: number): number {
  const number = Number(view.getBigInt64(at, true));
  if (Number.isSafeInteger(number)) return number;
  throw new Error(`${number} is no length`);
}
