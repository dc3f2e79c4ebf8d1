/**
 * Reads lists of strings as UTF-8. Engines join strings and encode them in a fraction of the time
 * that a loop takes to read them unit by unit.
 */

/** Strings that are longer together are encoded one by one: their copy would take much memory. */
const JOINED = 2 ** 20;

/** What separates strings from each other, so that halves of a character do not become one. */
const SEPARATOR = '\n';

/** Reads lists of strings into the same memory. */
export class ByteReader {
  readonly #encoder = typeof TextEncoder === 'function' ? new TextEncoder() : undefined;
  #bytes = new Uint8Array(0);

  /**
   * The bytes of the strings, `length` code units in all, with one byte between two strings. A half
   * of a character is U+FFFD, or three bytes of its own. Valid until the next call.
   */
  read(strings: readonly string[], length: number): Uint8Array {
    const all = length + strings.length;
    if (this.#bytes.length < 3 * all) this.#bytes = new Uint8Array(6 * all);
    if (this.#encoder !== undefined && length <= JOINED) {
      this.#encoder.encodeInto(strings.join(SEPARATOR), this.#bytes);
    } else {
      encodeEach(strings, this.#bytes);
    }
    return this.#bytes;
  }
}

/** Encodes each code unit on its own. */
function encodeEach(strings: readonly string[], bytes: Uint8Array): void {
  let at = 0;
  for (const string of strings) {
    for (let i = 0; i < string.length; i++) {
      const code = string.charCodeAt(i);
      if (code < 0x80) {
        bytes[at++] = code;
        continue;
      }
      if (code < 0x800) {
        bytes[at++] = 0xc0 | (code >> 6);
      } else {
        bytes[at++] = 0xe0 | (code >> 12);
        bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
      }
      bytes[at++] = 0x80 | (code & 0x3f);
    }
    at++;
  }
}
