/** Text for people, on standard error: the only place that writes there. */

import { printable } from '@keysweep/core';
import { startWithoutSecrets } from '@keysweep/external/storage';
import type { ByteSink } from '@keysweep/files';
import { messageOf } from '../failure.js';

/**
 * `text`, whose lines end with newlines, without what a terminal acts on: names of files and of
 * columns, addresses and messages from elsewhere may hold escape sequences. A name that holds a
 * newline is made printable before it becomes a part of several lines.
 */
export const shown = (text: string): string => text.split('\n').map(printable).join('\n');

/** Writes one line or several, each ended by a newline. */
export function say(text: string): void {
  process.stderr.write(shown(text));
}

/** Shows the lines of a file on a terminal, which has tabs and ends of lines, and no more. */
export function shownOn(terminal: ByteSink): ByteSink {
  // A piece may end within a character.
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  return {
    write(bytes) {
      const text = decoder.decode(bytes, { stream: true });
      const parts = text.split(/(\t|\r?\n)/);
      return terminal.write(
        encoder.encode(parts.map((part, i) => (i % 2 === 0 ? printable(part) : part)).join('')),
      );
    },
  };
}

/** The longest message, because names of columns and of files may fill a terminal many times. */
const LONGEST = 4000;

/**
 * Writes "keysweep: <message>" as one line, whatever the message holds, and without passwords:
 * what was given may be in it, such as an address in the wrong place.
 */
export function sayError(who: string, message: string): void {
  const line = printable(startWithoutSecrets(message.trim(), LONGEST));
  say(`${who}: ${line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line}\n`);
}

/** Says errors that come one after the other, and none twice in a row. */
export function errorTeller(who: string): (error: unknown) => void {
  let last: string | undefined;
  return (error) => {
    const message = messageOf(error);
    if (message === last) return;
    last = message;
    sayError(who, message);
  };
}
