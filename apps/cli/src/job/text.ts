/** Tells text from numbers. */

import { keyTraits } from '@keysweep/core';
import type { Input } from '../arguments/command.js';
import { textError } from '../formats.js';

/** Bytes at the start of a file that tell whether it is text. */
export const SAMPLE: number = 1 << 16;

/**
 * Refuses lines of text where bare numbers are wanted: bytes that are UTF-8 without control
 * characters, and have a line's end. Values of one byte may be text that someone wants sorted.
 * @throws UsageError
 */
export function assertNoText(start: Uint8Array, name: string, input: Input): void {
  if (input.format !== 'raw' || input.isSure || keyTraits(input.keyType).bits === 8) return;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text has none but blanks and line ends
  const isBinary = /[\x00-\x08\x0e-\x1f\x7f\ufffd]/;
  // The last character may be cut.
  const text = new TextDecoder().decode(start, { stream: true });
  if (text.includes('\n') && !isBinary.test(text)) throw textError(name);
}
