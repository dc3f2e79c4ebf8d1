/**
 * Mutants that somebody has read and that no caller can tell from the code as it is. They are not
 * tried. The folder equivalent lists them by package: a file, below it a line of its code, below
 * that what a mutant makes of a part of it (`before → after`), and last the reason.
 */

import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('./equivalent/', import.meta.url);

/** In one line, as it is listed. */
const oneLine = (code) => code.replace(/\s+/g, ' ');

const keyOf = (file, code, change) => [file, code, change].join('\n');

/** What the text of a list names. */
function namesIn(text) {
  let [file, code] = ['', ''];
  return text.split('\n').flatMap((line) => {
    const [, indent, words] = /^( *)(.*)$/.exec(line);
    if (indent.length === 0) file = words;
    else if (indent.length === 2) code = words;
    else if (indent.length === 4) return keyOf(file, code, words);
    return [];
  });
}

const NAMES = new Set(
  readdirSync(FOLDER).flatMap((name) => namesIn(readFileSync(new URL(name, FOLDER), 'utf8'))),
);

/** Whether a mutant is named as one that changes nothing which a caller could see. */
export const isEquivalent = ({ file, code, before, after }) =>
  NAMES.has(keyOf(file, code, `${oneLine(before)} → ${oneLine(after)}`));
