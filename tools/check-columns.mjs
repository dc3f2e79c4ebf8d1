/**
 * Fails where a line of code, comment or prose is longer than 100 columns. The formatter wraps
 * code, but neither strings nor comments, and knows neither WGSL nor Markdown. Tables of Markdown,
 * and addresses alone on a line, may be longer.
 *
 *   node tools/check-columns.mjs [FOLDER …]
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const LIMIT = 100;
const CHECKED = /\.(ts|js|mjs|cjs|wgsl|glsl|md|css|html|cpp|cu|yml)$/;

const files = execFileSync('git', ['ls-files', '--', ...process.argv.slice(2)], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => CHECKED.test(file));

/** Whether a line of Markdown cannot be wrapped: a table's row, or an address. */
const mayBeLong = (file, line) =>
  file.endsWith('.md') && (/^\s*\|/.test(line) || /^\S*\]?\(?https?:\S+$/.test(line.trim()));

let found = 0;
for (const file of files) {
  for (const [i, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if ([...line].length <= LIMIT || mayBeLong(file, line)) continue;
    found++;
    console.log(`${file}:${i + 1}: ${[...line].length} columns`);
  }
}
if (found > 0) {
  console.log(`${found} lines are longer than ${LIMIT} columns`);
  process.exitCode = 1;
}
