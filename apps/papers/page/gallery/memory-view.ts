/** The buffers of a sort: keys as bars, counts as numbers, and what the step reads and writes. */

import { make } from '@keysweep/compare/page/dom.js';
import type { Dispatch } from '@keysweep/papers';
import type { Exhibit } from './exhibits.js';
import type { Access, Step, Words } from './trace.js';

/** Milliseconds that a key takes to its place. */
const MOVE = 260;

/** What a sample behind the last key holds. */
const NONE = 0xffffffff;

const TITLES: Readonly<Record<string, string>> = {
  otherKeys: 'keys, second array',
  otherValues: 'values, second array',
  keysAlone: 'keys alone',
  otherAlone: 'keys alone, second array',
  otherPairs: 'pairs, second array',
  countsSums: 'sums of counts',
  countsSumsSums: 'sums of sums',
};

const isOfPairs = (name: string): boolean => /pairs$/i.test(name);
const isOfKeys = (name: string): boolean => /^(keys|other|samples$|buffers$)/.test(name);

/** Whether a word of a buffer is a key. */
const isKeyAt = (name: string, at: number): boolean =>
  isOfPairs(name) ? at % 2 === 0 : isOfKeys(name) && !/values$/i.test(name);

/** How a buffer's words lie on the page, and after how many of them there is a gap. */
interface Layout {
  readonly columns: number;
  /** Words go down these first, then to the next column: a count a tile. */
  readonly rows?: number;
  readonly gap?: number;
}

function layoutOf(name: string, words: number, { count, shape }: Exhibit): Layout {
  const tile = shape.threads * shape.items;
  if (isOfPairs(name)) return { columns: words, gap: 2 };
  if (name === 'buffers') return { columns: words, gap: shape.line };
  if (name === 'samples') return { columns: words, gap: shape.samples };
  if (isOfKeys(name)) return { columns: words, gap: tile };
  if (name === 'counts') {
    const tiles = Math.ceil(count / tile);
    return { columns: words / tiles, rows: tiles };
  }
  return { columns: Math.min(16, words) };
}

export class MemoryView {
  readonly #box: HTMLElement;
  #exhibit: Exhibit | undefined;
  #cells: ReadonlyMap<string, readonly HTMLElement[]> = new Map();
  #greatest = 1;

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  /** Makes a row for each buffer of a sort; sums of a single tile tell nothing. */
  load(exhibit: Exhibit, { memory }: Step): void {
    this.#exhibit = exhibit;
    this.#greatest = Math.max(1, ...(memory.get('keys') ?? []).map((key) => key ?? 0));
    const told = Array.from(memory).filter(
      ([name, { length }]) => length > 1 || !name.endsWith('Sums'),
    );
    this.#cells = new Map(
      told.map(([name, words]) => {
        const { gap = words.length } = layoutOf(name, words.length, exhibit);
        const cells = words.map((_, i) => {
          const kind = isKeyAt(name, i) ? 'key' : 'word';
          return make('span', { class: i > 0 && i % gap === 0 ? `${kind} apart` : kind });
        });
        return [name, cells];
      }),
    );
    this.#box.replaceChildren(...Array.from(this.#cells, (row) => this.#rowOf(...row)));
  }

  #rowOf(name: string, cells: readonly HTMLElement[]): HTMLElement {
    const { columns, rows } = layoutOf(name, cells.length, this.#exhibit as Exhibit);
    const style = `--columns: ${columns}; --rows: ${rows ?? 1}`;
    const kind = rows === undefined ? 'cells' : 'cells down';
    return make(
      'div',
      { class: columns < 8 ? 'buffer few' : 'buffer' },
      make('p', { class: 'buffer-name' }, TITLES[name] ?? name),
      make('div', { class: kind, role: 'img', style }, ...cells),
    );
  }

  /** Shows a step. After `before`, keys that it copies come from where they were. */
  show(step: Step, before?: Step): void {
    for (const [name, cells] of this.#cells) {
      const words = step.memory.get(name) as Words;
      const text = words.map((word) => word ?? 'empty').join(', ');
      cells[0]?.parentElement?.setAttribute('aria-label', `${TITLES[name] ?? name}: ${text}`);
      const [reads, writes] = [step.reads, step.writes].map(
        (accesses) => new Set(accesses.flatMap(({ buffer, at }) => (buffer === name ? at : []))),
      );
      for (const [i, cell] of cells.entries()) {
        this.#fill(cell, isKeyAt(name, i), words[i], step.dispatch);
        cell.classList.toggle('read', reads?.has(i) === true);
        cell.classList.toggle('written', writes?.has(i) === true);
      }
    }
    if (before !== undefined) this.#move(step, before);
  }

  #fill(
    cell: HTMLElement,
    isKey: boolean,
    word: number | undefined,
    dispatch: Dispatch | undefined,
  ): void {
    cell.classList.toggle('empty', word === undefined);
    const height = isKey ? Math.min(1, (word ?? 0) / this.#greatest) : 0;
    cell.style.setProperty('--height', `${height}`);
    if (isKey && word !== undefined && word !== NONE) this.#write(cell, word, dispatch);
    else cell.textContent = word === undefined ? '·' : word === NONE ? '∞' : `${word}`;
  }

  /** Writes a key in the exhibit's base, and marks the digit of the pass. */
  #write(cell: HTMLElement, key: number, dispatch: Dispatch | undefined): void {
    const { base, shape } = this.#exhibit as Exhibit;
    const bits = Math.log2(base);
    const text = base === 10 ? `${key}` : key.toString(base).padStart(shape.keyBits / bits, '0');
    const shift = dispatch?.params.shift ?? dispatch?.params.bit;
    const marked = shift === undefined ? text.length : text.length - 1 - shift / bits;
    const digit = text.charAt(marked);
    cell.replaceChildren(
      text.slice(0, marked),
      ...(digit === '' ? [] : [make('mark', {}, digit)]),
      text.slice(marked + 1),
    );
  }

  #move({ reads, writes, memory }: Step, before: Step): void {
    const left = [...reads];
    for (const write of writes) {
      if (!isKeyAt(write.buffer, write.at)) continue;
      const key = memory.get(write.buffer)?.[write.at];
      const from = left.findIndex(
        ({ buffer, at }) => isKeyAt(buffer, at) && before.memory.get(buffer)?.[at] === key,
      );
      const [read] = from < 0 ? [] : left.splice(from, 1);
      const [source, target] = [read, write].map(
        (access) => access && this.#cells.get(access.buffer)?.[access.at],
      );
      if (source === undefined || target === undefined || source === target) continue;
      const [a, b] = [source, target].map((cell) => cell.getBoundingClientRect()) as [
        DOMRect,
        DOMRect,
      ];
      target.animate([{ transform: `translate(${a.x - b.x}px, ${a.bottom - b.bottom}px)` }, {}], {
        duration: MOVE,
        easing: 'ease-out',
      });
    }
  }
}

/** An access in words, as the kernel's variables are called: "targetKeys[3] = 17". */
export function wordsOf(step: Step): string {
  const names = new Map(
    Object.entries(step.dispatch?.buffers ?? {}).map(([variable, name]) => [name, variable]),
  );
  const say = ({ buffer, at }: Access): string => `${names.get(buffer) ?? buffer}[${at}]`;
  const some = (texts: readonly string[]): string => {
    const each = [...new Set(texts)];
    return each.length > 4
      ? `${each.slice(0, 3).join(', ')} and ${each.length - 3} more`
      : each.join(', ');
  };
  const { reads, writes, memory } = step;
  const parts = [
    ...(reads.length > 0 ? [`reads ${some(reads.map(say))}`] : []),
    ...(writes.length > 0
      ? [`writes ${some(writes.map((it) => `${say(it)} = ${memory.get(it.buffer)?.[it.at]}`))}`]
      : []),
  ];
  return parts.join('; ');
}
