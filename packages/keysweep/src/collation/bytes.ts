/**
 * Reads lists of strings as UTF-8. Engines join strings and encode them in a fraction of the time
 * that a loop takes to read them unit by unit.
 */

/** What separates strings from each other, so that halves of a character do not become one. */
const SEPARATOR = '\n';

const encoder = typeof TextEncoder === 'function' ? new TextEncoder() : undefined;

/**
 * Writes the bytes of strings to `bytes`, which has room for them, with one byte between two
 * strings. A half of a character is U+FFFD, or three bytes of its own.
 */
export function encodeStrings(strings: readonly string[], bytes: Uint8Array<ArrayBuffer>): void {
  if (encoder === undefined) encodeEach(strings, bytes);
  else encoder.encodeInto(strings.join(SEPARATOR), bytes);
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
