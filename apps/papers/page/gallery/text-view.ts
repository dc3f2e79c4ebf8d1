/** The text of a kernel, with the lines that do the step. */

import { make } from '@keysweep/compare/page/dom.js';
import type { Dispatch } from '@keysweep/papers';
import { TEXTS } from '@keysweep/papers/texts';
import { linesOf, placesOf } from './notes.js';
import type { Step } from './trace.js';

const REPOSITORY = 'https://github.com/keysweep/keysweep/blob/main/';

export class TextView {
  readonly #link = make('a', {});
  readonly #lines = make('ol', { class: 'text' });
  readonly #box: HTMLElement;
  #kernel = '';
  /** The first line that does the step. */
  #marked: number | undefined;

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
    const isOther = this.#load(dispatch?.kernel ?? kernel);
    const marked = dispatch && note.line !== '' ? placesOf(dispatch, note.line) : [];
    for (const [i, line] of [...this.#lines.children].entries()) {
      if (marked.includes(i)) line.setAttribute('aria-current', 'step');
      else line.removeAttribute('aria-current');
    }
    this.#marked = marked[0];
    // Another text is laid out for the next frame. To ask for its places now would do that twice.
    if (isOther) requestAnimationFrame(() => this.#scroll());
    else this.#scroll();
  }

  /** Brings the marked line into sight, or the first one. The page itself stays where it is. */
  #scroll(): void {
    const first = this.#lines.children[this.#marked ?? 0] as HTMLElement;
    // Within the list, which is positioned.
    const top = first.offsetTop;
    const [from, height] = [this.#box.scrollTop, this.#box.clientHeight];
    const isSeen = top >= from && top + 2 * first.offsetHeight <= from + height;
    if (!isSeen) this.#box.scrollTop = this.#marked === undefined ? 0 : top - height / 3;
  }

  /** Shows the text of a kernel, and returns whether it was another one. */
  #load(kernel: string): boolean {
    if (kernel === this.#kernel) return false;
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
    return true;
  }
}

/** The kernel that an exhibit is named after: the first that does more than prepare. */
export function mainKernelOf(dispatches: readonly (Dispatch | undefined)[]): string {
  const kernels = dispatches.flatMap((dispatch) => dispatch?.kernel ?? []);
  return kernels.find((kernel) => kernel !== 'pairs') ?? 'scan';
}
