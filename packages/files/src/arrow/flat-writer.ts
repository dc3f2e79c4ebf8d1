/** Writes tables of the FlatBuffers format. https://flatbuffers.dev/internals/ */

declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** What a field holds; undefined is absent. */
export type FlatValue =
  | { readonly uint8: number }
  | { readonly int16: number }
  | { readonly int32: number }
  | { readonly int64: number }
  | { readonly text: string }
  | { readonly table: FlatFields }
  | { readonly tables: readonly FlatFields[] }
  /** Structs, one after the other, which begin at a multiple of 8 bytes. */
  | { readonly structs: Uint8Array; readonly count: number }
  /** A table in a buffer of its own, which is copied as it is. */
  | { readonly copied: { readonly bytes: Uint8Array; readonly at: number } };

/** The fields of a table by their number. */
export type FlatFields = readonly (FlatValue | undefined)[];

/** The buffer that begins with the table `root`; its length is a multiple of 8. */
export function writeFlat(root: FlatFields): Uint8Array<ArrayBuffer> {
  const writer = new FlatWriter();
  const at = writer.reserve(4, 4);
  writer.point(at, writer.table(root));
  return writer.finish();
}

class FlatWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;

  /** Room for `size` bytes, from a place on that is `past` bytes behind a multiple of `align`. */
  reserve(size: number, align: number, past = 0): number {
    const at = Math.ceil((this.#size - past) / align) * align + past;
    if (at + size > this.#bytes.length) {
      const wider = new Uint8Array(2 * (at + size));
      wider.set(this.#bytes);
      this.#bytes = wider;
      this.#view = new DataView(wider.buffer);
    }
    this.#size = at + size;
    return at;
  }

  /** Writes at `at` how far it is to `target`. */
  point(at: number, target: number): void {
    this.#view.setUint32(at, target - at, true);
  }

  /** Writes a table and what belongs to it, and returns where the table is. */
  table(fields: FlatFields): number {
    const sizes = fields.map((field) => (field === undefined ? 0 : sizeOf(field)));
    // The largest fields come first, so that none needs padding.
    const order = [...sizes.keys()].filter((i) => sizes[i] !== 0);
    order.sort((a, b) => (sizes[b] as number) - (sizes[a] as number));
    const size = sizes.reduce((sum, each) => sum + each, 4);
    const entries = this.reserve(4 + 2 * fields.length, 2);
    this.#view.setUint16(entries, 4 + 2 * fields.length, true);
    this.#view.setUint16(entries + 2, size, true);
    // Its first field is behind the 4 bytes of the table itself.
    const at = this.reserve(size, 8, 4);
    this.#view.setInt32(at, at - entries, true);
    let next = at + 4;
    const places = new Map<number, number>();
    for (const i of order) {
      places.set(i, next);
      this.#view.setUint16(entries + 4 + 2 * i, next - at, true);
      next += sizes[i] as number;
    }
    for (const [i, place] of places) this.#write(place, fields[i] as FlatValue);
    return at;
  }

  #write(at: number, value: FlatValue): void {
    if ('uint8' in value) this.#view.setUint8(at, value.uint8);
    else if ('int16' in value) this.#view.setInt16(at, value.int16, true);
    else if ('int32' in value) this.#view.setInt32(at, value.int32, true);
    else if ('int64' in value) this.#view.setBigInt64(at, BigInt(value.int64), true);
    else this.point(at, this.#writeApart(value));
  }

  /** Writes what a field points to, and returns where that is. */
  #writeApart(value: FlatValue): number {
    if ('table' in value) return this.table(value.table);
    if ('copied' in value) {
      const start = this.reserve(value.copied.bytes.length, 8);
      this.#bytes.set(value.copied.bytes, start);
      return start + value.copied.at;
    }
    if ('tables' in value) {
      const at = this.#vector(value.tables.length, value.tables.length * 4, 4);
      value.tables.forEach((fields, i) => {
        this.point(at + 4 + 4 * i, this.table(fields));
      });
      return at;
    }
    if ('structs' in value) {
      const at = this.#vector(value.count, value.structs.length, 8);
      this.#bytes.set(value.structs, at + 4);
      return at;
    }
    if (!('text' in value)) throw new Error('a field is of no known kind');
    const text = new TextEncoder().encode(value.text);
    // One byte of 0 follows.
    const at = this.#vector(text.length, text.length + 1, 4);
    this.#bytes.set(text, at + 4);
    return at;
  }

  /** A vector's length, and room for its elements. */
  #vector(length: number, size: number, align: number): number {
    const at = this.reserve(4 + size, align, align - 4);
    this.#view.setUint32(at, length, true);
    return at;
  }

  finish(): Uint8Array<ArrayBuffer> {
    this.reserve(0, 8);
    return this.#bytes.slice(0, this.#size);
  }
}

function sizeOf(value: FlatValue): number {
  if ('uint8' in value) return 1;
  if ('int16' in value) return 2;
  return 'int64' in value ? 8 : 4;
}
