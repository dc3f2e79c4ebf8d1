/** Which blocks of code run in a page, too, and what they look like there. */

import { pageOf } from '../pages.js';

/** Changes tell of what is gone, examples have tests of their own, and a reference has types'. */
export const hasBlocks = (file: string): boolean =>
  pageOf(file) !== undefined && !/^(CHANGELOG|examples\/|apps\/docs\/generated\/)/.test(file);

/** What only Node, or a page of one's own, has. */
const ELSEWHERE =
  /\b(require|process|Buffer|document|table|cpu|openTable|writeTable|RadixSorter)\b/;

const IMPORTED = /\bfrom '([^']+)'|\bimport\(?\s*'([^']+)'/g;

/** What the worker of blocks can import. */
const OURS = /^keysweep(\/(sync|sorted))?$/;

/** Whether a block needs nothing but keysweep. */
export function runsInPage(code: string): boolean {
  const names = Array.from(code.matchAll(IMPORTED), ([, from, plain]) => from ?? plain ?? '');
  const plain = code.replace(/\/\/[^\n]*|\/\*.*?\*\//gs, '');
  return names.every((name) => OURS.test(name)) && !ELSEWHERE.test(plain);
}

/** Makes the HTML of a block one that can be edited and run: see theme/run-block.ts. */
export const runnable = (html: string): string =>
  `<div class="runnable">${html.replace(
    '<code>',
    '<code contenteditable="plaintext-only" role="textbox" aria-multiline="true" ' +
      'aria-label="Code, which you can edit" spellcheck="false">',
  )}<p class="run"><button type="button">Run</button> <span role="status"></span></p></div>\n`;
