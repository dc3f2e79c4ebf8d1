/** The text of a kernel, with the lines that do the step. */

import type { Dispatch } from '@keysweep/papers';
import { TEXTS } from '@keysweep/papers/texts';
import { make } from '../page/dom.js';
import { linesOf, placesOf } from './notes.js';
import type { Step } from './trace.js';

const REPOSITORY = 'https://github.com/keysweep/keysweep/blob/main/';

export class TextView {
  readonly #link = make('a', {});
  readonly #lines = make('ol', { class: 'text' });
  readonly #box: HTMLElement;
  #kernel = '';

  /** `box` is filled, and scrolls. */
  constructor(heading: HTMLElement, box: HTMLElement) {
    heading.replaceChildren(this.#link);
    this.#box = box;
    // It scrolls, by the keyboard too.
    box.tabIndex = 0;
    box.append(this.#lines);
  }

  /** Shows the text of a step's kernel; without one, the text of `kernel` without a mark. */
  show({ dispatch, note }: Step, kernel: string): void {
    this.#load(dispatch?.kernel ?? kernel);
    const marked = dispatch && note.line !== '' ? placesOf(dispatch, note.line) : [];
    for (const [i, line] of [...this.#lines.children].entries()) {
      if (marked.includes(i)) line.setAttribute('aria-current', 'step');
      else line.removeAttribute('aria-current');
    }
    const first = this.#lines.children[marked[0] ?? 0] as HTMLElement;
    // Within the list, which is positioned.
    const top = first.offsetTop;
    const [from, height] = [this.#box.scrollTop, this.#box.clientHeight];
    // The page itself stays where it is.
    const isSeen = top >= from && top + 2 * first.offsetHeight <= from + height;
    if (!isSeen) this.#box.scrollTop = marked.length === 0 ? 0 : top - height / 3;
  }

  #load(kernel: string): void {
    if (kernel === this.#kernel) return;
    this.#kernel = kernel;
    const { file } = TEXTS[kernel] as { file: string };
    this.#link.href = REPOSITORY + file;
    this.#link.textContent = file;
    const isComment = (line: string): boolean => /^\s*(\/\/(?!#)|\/?\*)/.test(line);
    this.#lines.replaceChildren(
      ...linesOf(kernel).map((line) =>
        make('li', { class: isComment(line) ? 'comment' : undefined }, line === '' ? ' ' : line),
      ),
    );
    this.#box.setAttribute('aria-label', `Text of ${file}`);
  }
}

/** The kernel that an exhibit is named after: the first that does more than prepare. */
export function mainKernelOf(dispatches: readonly (Dispatch | undefined)[]): string {
  const kernels = dispatches.flatMap((dispatch) => dispatch?.kernel ?? []);
  return kernels.find((kernel) => kernel !== 'pairs') ?? 'scan';
}
