/** The gallery: a sort is chosen, stepped through, and measured. */

import { byId, make, notify, option } from '@keysweep/compare/page/dom.js';
import { digits, formatCount, formatRate } from '@keysweep/compare/page/format.js';
import type { Stillness } from '@keysweep/compare/page/stillness.js';
import { Controls } from './controls.js';
import { EXHIBITS, type Exhibit, keysFor } from './exhibits.js';
import { MemoryView, wordsOf } from './memory-view.js';
import { measureRate, type Rate } from './rate.js';
import { mainKernelOf, TextView } from './text-view.js';
import { type Step, stepsOf } from './trace.js';

/** Keys for whose bytes and operations the model is asked. */
const MODEL_COUNT = 2 ** 20;

export class GalleryView {
  readonly #sort = byId('sort', HTMLSelectElement);
  readonly #measure = byId('measure', HTMLButtonElement);
  readonly #live = byId('telling');
  readonly #memory = new MemoryView(byId('memory'));
  readonly #text = new TextView(byId('file'), byId('text'));
  readonly #stillness: Stillness;
  readonly controls = new Controls(byId('stage'), {
    draw: (step, isPlaying, isSmooth) => this.#draw(step, isPlaying, isSmooth),
    otherKeys: () => {
      this.#seed++;
      this.#load();
    },
  });
  #exhibit = EXHIBITS[0] as Exhibit;
  #steps: readonly Step[] = [];
  #shown = 0;
  #seed = 1;

  /** Nothing moves while a sort is measured. */
  constructor(stillness: Stillness) {
    this.#stillness = stillness;
    this.#sort.closest('.fields')?.append(this.controls.speed);
    byId('controls').replaceWith(this.controls.actions);
    this.#fillSelect();
    this.#fromAddress();
    this.#sort.addEventListener('change', () => {
      history.replaceState(undefined, '', `#${this.#sort.value}`);
      this.#choose(this.#sort.value);
    });
    addEventListener('hashchange', () => this.#fromAddress());
    this.#measure.addEventListener('click', () => this.#measureRate());
  }

  #fillSelect(): void {
    for (const [title, isCpu] of [
      ['On a GPU', false],
      ['On the CPU', true],
    ] as const) {
      const exhibits = EXHIBITS.filter((exhibit) => exhibit.isCpu === isCpu);
      const options = exhibits.map(({ algorithm: { name, title: what, source } }) =>
        option(name, `${what} (${source})`),
      );
      this.#sort.append(make('optgroup', { label: title }, ...options));
    }
  }

  /** Shows the sort that the address names, or the bitonic network. */
  #fromAddress(): void {
    const name = location.hash.slice(1);
    this.#choose(EXHIBITS.some(({ algorithm }) => algorithm.name === name) ? name : 'bitonic');
  }

  #choose(name: string): void {
    const exhibit = EXHIBITS.find(({ algorithm }) => algorithm.name === name) as Exhibit;
    const { title, source, maxLength, cost } = exhibit.algorithm;
    this.#exhibit = exhibit;
    this.#sort.value = name;
    byId('sort-title').textContent = title;
    byId('sort-source').textContent = source;
    byId('sort-about').textContent = exhibit.about;
    const count = Math.min(MODEL_COUNT, maxLength);
    const { bytes, operations } = cost(count);
    const [moved, done] = [bytes, operations].map((figure) => formatCount(Math.round(figure)));
    byId('model').textContent =
      `For ${formatCount(count)} keys it moves ${moved} bytes a key, and does ${done} operations ` +
      'a key.';
    byId('rates').hidden = true;
    notify(byId('rate-status'), '');
    this.#load();
  }

  #load(): void {
    const keys = keysFor(this.#exhibit, this.#seed);
    this.#steps = stepsOf(this.#exhibit.algorithm, keys, this.#exhibit.shape);
    this.#memory.load(this.#exhibit, this.#steps[0] as Step);
    this.#shown = 0;
    this.controls.load(this.#steps.length - 1);
  }

  #draw(index: number, isPlaying: boolean, isSmooth: boolean): string {
    const step = this.#steps[index] as Step;
    const isNext = index === this.#shown + 1 && isSmooth;
    this.#memory.show(step, isNext ? this.#steps[this.#shown] : undefined);
    this.#shown = index;
    this.#text.show(step, mainKernelOf(this.#steps.map(({ dispatch }) => dispatch)));
    // A screen reader would read every step aloud otherwise.
    this.#live.ariaLive = isPlaying ? 'off' : 'polite';
    const last = this.#steps.length - 1;
    const { dispatch } = step;
    const kernel = dispatch === undefined ? '' : ` · ${dispatch.kernel}, ${dispatch.entryPoint}`;
    byId('step-title').textContent = `Step ${index} of ${last}${kernel}`;
    byId('step-says').textContent = step.note.says;
    byId('step-words').textContent = wordsOf(step);
    return step.note.says;
  }

  async #measureRate(): Promise<void> {
    const { name } = this.#exhibit.algorithm;
    const status = byId('rate-status');
    this.#measure.disabled = true;
    notify(status, 'Measuring …');
    try {
      const rate = await this.#stillness.during(() => measureRate(name));
      // Another sort may have been chosen meanwhile.
      if (name === this.#exhibit.algorithm.name) this.#showRate(rate);
    } catch (error) {
      if (name === this.#exhibit.algorithm.name) {
        notify(status, `This was not measured: ${(error as Error).message}.`, true);
      }
    } finally {
      this.#measure.disabled = false;
    }
  }

  #showRate({ count, where, isSoftware, theirs, ours }: Rate): void {
    const { title, isForPairs = false } = this.#exhibit.algorithm;
    const perSecond = (milliseconds: number): string =>
      `${formatRate((1000 * count) / milliseconds)} keys/s`;
    const most = Math.min(theirs, ours);
    const bar = (name: string, kind: string, milliseconds: number): Node[] => [
      make('dt', {}, name),
      make(
        'dd',
        {},
        make('span', { class: `bar ${kind}`, style: `--share: ${most / milliseconds}` }),
        perSecond(milliseconds),
      ),
    ];
    byId('rates').replaceChildren(
      ...bar(title, 'theirs', theirs),
      ...bar('keysweep', 'ours', ours),
    );
    byId('rates').hidden = false;
    const what = isForPairs ? 'pairs' : 'keys';
    const verdict =
      theirs < ours
        ? `keysweep takes ${digits(ours / theirs)} times as long`
        : `keysweep is ${digits(theirs / ours)} times as fast`;
    const says = `${formatCount(count)} random ${what} on ${where}: ${verdict}.`;
    const warning = isSoftware ? ' It runs on the CPU, and says nothing about a GPU.' : '';
    notify(byId('rate-status'), says + warning);
  }
}
