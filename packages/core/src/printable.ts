/** Text from elsewhere, such as a file's name, as a terminal may show it. */

/**
 * Control characters (C0, DEL and C1), which a terminal may act on; what separates lines; and what
 * turns the direction of text around, so that a name reads as another one.
 */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** `text` in one line: `\u000a` and `\u202e` in place of characters that would be acted on. */
export function printable(text: string): string {
  return text.replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
