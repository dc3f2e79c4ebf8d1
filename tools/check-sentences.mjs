/**
 * Fails where a sentence of the documents has more words than a reader whose second language is
 * English can hold. Blocks of code are not looked at; a span of code and a link count as they read.
 *
 *   node tools/check-sentences.mjs [FILE.md …]
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MOST_WORDS = 25;

const documents = () =>
  execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
    .split('\n')
    // The changelog and what tools write are lists, not prose.
    .filter((file) => file !== '' && !/^CHANGELOG\.md$|^\.changeset\//.test(file));

/** Markdown as it is read: without code and comments, and with links by their text. */
const proseOf = (text) =>
  text
    .replace(/^ *(```|~~~)[\s\S]*?^ *\1/gm, (block) => block.replace(/[^\n]/g, ''))
    .replace(/<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/`[^`]*`/g, (span) => span.replace(/[^\n]/g, 'x'))
    .replace(/!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?/g, '$1');

/** Paragraphs, items of lists and cells of tables, each with its first line. */
function* partsOf(text) {
  let part = { line: 0, text: '' };
  for (const [i, line] of text.split('\n').entries()) {
    const begins = /^\s*([-*]|\d+\.) /.test(line);
    if (begins || line.trim() === '' || /^[#|[]/.test(line)) {
      yield part;
      part = { line: i + 1, text: '' };
    }
    if (line.startsWith('|')) for (const cell of line.split('|')) yield { line: i + 1, text: cell };
    else if (!/^[#[]/.test(line)) part.text += `${line.replace(/^\s*([-*]|\d+\.) /, '')}\n`;
  }
  yield part;
}

const wordsIn = (sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

let failed = 0;
const given = process.argv.slice(2);
for (const file of given.length > 0 ? given : documents()) {
  for (const { line, text } of partsOf(proseOf(readFileSync(file, 'utf8')))) {
    for (const sentence of text.split(/(?<=[.!?:;]["”’)*]*)\s+/)) {
      const words = wordsIn(sentence);
      if (words.length <= MOST_WORDS) continue;
      failed++;
      console.error(`${file}:${line}: ${words.length} words: ${words.join(' ')}`);
    }
  }
}
if (failed > 0) {
  console.error(`${failed} sentences of more than ${MOST_WORDS} words`);
  process.exit(1);
}
