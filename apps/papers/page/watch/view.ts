/** keysweep's own sorts, key by key. */

import { byId, make, option } from '@keysweep/compare/page/dom.js';
import type { Moving } from '@keysweep/compare/page/stillness.js';
import { Controls } from '../player/controls.js';
import type { PlayerState } from '../player/player.js';
import { ANIMATIONS, type AnimationKind } from './animations.js';
import { digitsOfThread, drawCounters } from './counter-view.js';
import { KEYS_PER_THREAD } from './counters.js';
import { Dots } from './dots.js';
import { type Animation, animationKeys, type Frame, histogramOf, shareInOrder } from './frame.js';
import { drawHistogram } from './histogram-view.js';

const LENGTHS = [256, 512, 1024];

export class WatchView implements Moving {
  readonly #kind = make('select', {}, ...ANIMATIONS.map(({ id, title }) => option(id, title)));
  readonly #length = make(
    'select',
    {},
    ...LENGTHS.map((length) => option(`${length}`, `${length} keys`)),
  );
  readonly #about = make('p', { class: 'quiet about' });
  readonly #canvas = make('canvas', { id: 'dots', role: 'img' });
  readonly #title = make('h3', { id: 'frame-title' });
  readonly #text = make('p', { id: 'frame-text' });
  readonly #histogram = make('div', { class: 'histogram' });
  readonly #histogramBox = make('figure', {}, make('figcaption', {}), this.#histogram);
  readonly #counted = make('input', { type: 'range', min: 0, step: 1, id: 'counted' });
  readonly #counters = make('div', { id: 'counters' });
  readonly #countersBox: HTMLElement;
  readonly #live = make('div', { 'aria-live': 'polite' }, this.#title, this.#text);
  readonly #dots: Dots;
  readonly #stage = make('div', { class: 'stage' });
  readonly #controls = new Controls(this.#stage, {
    draw: (state, isSmooth) => this.#draw(state, isSmooth),
    otherKeys: () => {
      this.#seed++;
      this.#load();
    },
  });
  #seed = 1;
  #animation: Animation = { keys: new Uint16Array(), frames: [] };

  constructor() {
    this.#countersBox = make(
      'figure',
      { class: 'counters' },
      make(
        'figcaption',
        {},
        make('strong', {}, 'The first thread of the first tile counts its keys'),
        make('label', {}, 'Keys counted ', this.#counted),
      ),
      this.#counters,
    );
    this.#build();
    this.#dots = new Dots(this.#canvas);
    this.#length.value = '512';
    const { player } = this.#controls;
    this.#counted.addEventListener('input', () => player.count(this.#counted.valueAsNumber));
    for (const select of [this.#kind, this.#length]) {
      select.addEventListener('change', () => this.#load());
    }
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
      this.#draw(player.state, false),
    );
    this.#load();
  }

  /** Stops playing, and does not go on by itself. */
  async rest(): Promise<void> {
    await this.#controls.rest();
    this.#dots.finish();
  }

  resume(): void {
    this.#controls.resume();
  }

  #build(): void {
    this.#stage.append(
      make('div', { class: 'picture' }, this.#canvas, this.#controls.actions),
      make('div', { class: 'telling' }, this.#live, this.#histogramBox, this.#countersBox),
    );
    byId('animation').append(
      make(
        'div',
        { class: 'fields' },
        make('label', { class: 'wide' }, 'Sort ', this.#kind),
        make('label', {}, 'Array ', this.#length),
        this.#controls.speed,
      ),
      this.#about,
      this.#stage,
    );
  }

  #load(): void {
    const kind = ANIMATIONS.find(({ id }) => id === this.#kind.value) as AnimationKind;
    this.#about.textContent = kind.about;
    this.#animation = kind.make(animationKeys(Number(this.#length.value), this.#seed));
    const { frames } = this.#animation;
    this.#controls.load(frames.map(({ isCounted }) => (isCounted ? KEYS_PER_THREAD : 0)));
  }

  #draw({ frame: index, counted, isPlaying }: PlayerState, isSmooth: boolean): string {
    const frame = this.#animation.frames[index] as Frame;
    this.#dots.show(this.#animation, frame, isSmooth);
    const inOrder = Math.round(100 * shareInOrder(this.#animation, frame));
    this.#canvas.setAttribute(
      'aria-label',
      `${this.#animation.keys.length} keys as dots; ${inOrder} % of neighbours are in order`,
    );
    // A screen reader would read every frame aloud otherwise.
    this.#live.ariaLive = isPlaying ? 'off' : 'polite';
    this.#title.textContent = frame.title;
    this.#text.textContent = frame.text;
    this.#drawHistogram(frame);
    this.#drawCounters(frame, counted);
    return frame.title;
  }

  #drawHistogram({ digit }: Frame): void {
    this.#histogramBox.hidden = digit === undefined;
    if (digit === undefined) return;
    const caption = this.#histogramBox.querySelector('figcaption') as HTMLElement;
    caption.replaceChildren(
      make('strong', {}, 'Histogram'),
      ` Keys with each value of bits ${digit.begin} to ${digit.begin + digit.bits - 1}.`,
    );
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    drawHistogram(this.#histogram, histogramOf(this.#animation.keys, digit), isDark);
  }

  #drawCounters(frame: Frame, counted: number): void {
    this.#countersBox.hidden = frame.isCounted !== true;
    if (frame.isCounted !== true) return;
    this.#counted.max = `${KEYS_PER_THREAD}`;
    this.#counted.value = `${counted}`;
    this.#counted.ariaValueText = `${counted} of ${KEYS_PER_THREAD} keys`;
    drawCounters(this.#counters, digitsOfThread(this.#animation, frame), counted);
  }
}
