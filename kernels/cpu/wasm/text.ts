/**
 * Text: reads bytes that were written as text (see ../../wasm-text.mjs). A module of its own, so
 * that the other kernels can be read by it.
 */

/** '~', which is followed by two hexadecimal digits. */
const ESCAPE: u8 = 126;

/**
 * Writes `length` bytes at `bytes` from the characters at `text`. `values` has the byte that each
 * character stands for. Floor: a character read and a byte written.
 */
export function read(text: usize, values: usize, bytes: usize, length: usize): void {
  for (const end = bytes + length; bytes < end; bytes++) {
    const character = load<u8>(text++);
    if (character == ESCAPE) {
      store<u8>(bytes, (digitAt(text) << 4) | digitAt(text + 1));
      text += 2;
    } else {
      store<u8>(bytes, load<u8>(values + character));
    }
  }
}

/** The value of a hexadecimal digit: letters have bit 6. */
@inline
function digitAt(text: usize): u8 {
  const digit = load<u8>(text);
  return (digit & 15) + 9 * (digit >> 6);
}
