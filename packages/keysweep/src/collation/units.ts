/**
 * Reads the code units of strings. Engines join strings and encode them as UTF-8 in half of the
 * time that a loop takes to read them unit by unit.
 */

/** Longer strings together are read one by one, because their copies would take much memory. */
const JOINED = 2 ** 20;

/** What separates strings from each other, so that halves of a character do not become one. */
const SEPARATOR = '\n';

/** Reads lists of strings into the same memory. */
export class UnitReader {
  readonly #encoder = typeof TextEncoder === 'function' ? new TextEncoder() : undefined;
  #bytes = new Uint8Array(0);
  #units = new Uint16Array(0);

  /**
   * The units of the strings one after the other, with one unit between two strings. Surrogates
   * may be others than they were, or U+FFFD. Valid until the next call.
   */
  read(strings: readonly string[], length: number): Uint16Array {
    const all = length + strings.length;
    if (this.#units.length < all) this.#units = new Uint16Array(2 * all);
    if (this.#encoder === undefined || length > JOINED) {
      readEach(strings, this.#units);
      return this.#units;
    }
    if (this.#bytes.length < 3 * all) this.#bytes = new Uint8Array(6 * all);
    const bytes = this.#bytes;
    const joined = strings.join(SEPARATOR);
    const { written } = this.#encoder.encodeInto(joined, bytes);
    if (written === joined.length) this.#units.set(bytes.subarray(0, written));
    else decode(bytes, written, this.#units);
    return this.#units;
  }
}

function readEach(strings: readonly string[], units: Uint16Array): void {
  let at = 0;
  for (const string of strings) {
    for (let i = 0; i < string.length; i++) units[at++] = string.charCodeAt(i);
    at++;
  }
}

/** UTF-8 to UTF-16. A character of four bytes becomes two surrogates, whichever it is. */
function decode(bytes: Uint8Array, length: number, units: Uint16Array): void {
  let at = 0;
  for (let i = 0; i < length; at++) {
    const byte = bytes[i] as number;
    if (byte < 0x80) {
      units[at] = byte;
      i++;
    } else if (byte < 0xe0) {
      units[at] = ((byte & 0x1f) << 6) | ((bytes[i + 1] as number) & 0x3f);
      i += 2;
    } else if (byte < 0xf0) {
      const middle = (bytes[i + 1] as number) & 0x3f;
      units[at] = ((byte & 0x0f) << 12) | (middle << 6) | ((bytes[i + 2] as number) & 0x3f);
      i += 3;
    } else {
      units[at++] = 0xd800;
      units[at] = 0xdc00;
      i += 4;
    }
  }
}
