/** The section "See it work". */

import { byId, make, option } from '../page/dom.js';
import type { Moving } from '../page/stillness.js';
import { ANIMATIONS, type AnimationKind } from './animations.js';
import { digitsOfThread, drawCounters } from './counter-view.js';
import { Dots } from './dots.js';
import { type Animation, animationKeys, type Frame, histogramOf, shareInOrder } from './frame.js';
import { drawHistogram } from './histogram-view.js';
import { Player, type PlayerState } from './player.js';

const LENGTHS = [256, 512, 1024];
const SPEEDS = [0.5, 1, 2, 4];

export class WatchView implements Moving {
  readonly #kind = make('select', {}, ...ANIMATIONS.map(({ id, title }) => option(id, title)));
  readonly #length = make(
    'select',
    {},
    ...LENGTHS.map((length) => option(`${length}`, `${length} keys`)),
  );
  readonly #speed = make('select', {}, ...SPEEDS.map((speed) => option(`${speed}`, `${speed}×`)));
  readonly #about = make('p', { class: 'quiet about' });
  readonly #canvas = make('canvas', { id: 'dots', role: 'img' });
  readonly #title = make('h3', { id: 'frame-title' });
  readonly #text = make('p', { id: 'frame-text' });
  readonly #play = make('button', { type: 'button', class: 'primary', id: 'play' }, 'Play');
  readonly #position = make('input', { type: 'range', min: 0, step: 1, id: 'frame' });
  readonly #histogram = make('div', { class: 'histogram' });
  readonly #histogramBox = make('figure', {}, make('figcaption', {}), this.#histogram);
  readonly #counted = make('input', { type: 'range', min: 0, step: 1, id: 'counted' });
  readonly #counters = make('div', { id: 'counters' });
  readonly #countersBox: HTMLElement;
  readonly #live = make('div', { 'aria-live': 'polite' }, this.#title, this.#text);
  readonly #dots: Dots;
  readonly #player = new Player((state, isSmooth) => this.#draw(state, isSmooth));
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
    this.#speed.value = '1';
    this.#play.addEventListener('click', () => this.#player.toggle());
    this.#position.addEventListener('input', () => this.#player.go(this.#position.valueAsNumber));
    this.#counted.addEventListener('input', () => this.#player.count(this.#counted.valueAsNumber));
    this.#speed.addEventListener('change', () => {
      this.#player.speed = Number(this.#speed.value);
    });
    for (const select of [this.#kind, this.#length]) {
      select.addEventListener('change', () => this.#load());
    }
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
      this.#draw(this.#player.state, false),
    );
    this.#load();
  }

  /** Stops playing, and does not go on by itself. */
  async rest(): Promise<void> {
    if (this.#player.state.isPlaying) this.#player.toggle();
    this.#dots.finish();
    this.#play.disabled = true;
  }

  resume(): void {
    this.#play.disabled = false;
  }

  #build(): void {
    const button = (text: string, id: string, press: () => void): HTMLButtonElement => {
      const made = make('button', { type: 'button', id }, text);
      made.addEventListener('click', press);
      return made;
    };
    byId('animation').append(
      make(
        'div',
        { class: 'fields' },
        make('label', { class: 'wide' }, 'Sort ', this.#kind),
        make('label', {}, 'Array ', this.#length),
        make('label', {}, 'Speed ', this.#speed),
      ),
      this.#about,
      make(
        'div',
        { class: 'stage' },
        make(
          'div',
          { class: 'picture' },
          this.#canvas,
          make(
            'div',
            { class: 'actions' },
            button('Back', 'back', () => this.#player.go(this.#player.state.frame - 1)),
            this.#play,
            button('Step', 'step', () => this.#player.go(this.#player.state.frame + 1)),
            button('Other keys', 'other-keys', () => {
              this.#seed++;
              this.#load();
            }),
            make(
              'label',
              { class: 'position' },
              make('span', { class: 'hidden' }, 'Step of the sort'),
              this.#position,
            ),
          ),
        ),
        make('div', { class: 'telling' }, this.#live, this.#histogramBox, this.#countersBox),
      ),
    );
  }

  #load(): void {
    const kind = ANIMATIONS.find(({ id }) => id === this.#kind.value) as AnimationKind;
    this.#about.textContent = kind.about;
    this.#animation = kind.make(animationKeys(Number(this.#length.value), this.#seed));
    const { frames } = this.#animation;
    this.#position.max = `${frames.length - 1}`;
    this.#player.load(frames.map(({ counters }) => counters?.keysPerThread ?? 0));
  }

  #draw({ frame: index, counted, isPlaying }: PlayerState, isSmooth: boolean): void {
    const frame = this.#animation.frames[index] as Frame;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#dots.show(this.#animation, frame, isSmooth && !isStill);
    const inOrder = Math.round(100 * shareInOrder(this.#animation, frame));
    this.#canvas.setAttribute(
      'aria-label',
      `${this.#animation.keys.length} keys as dots; ${inOrder} % of neighbours are in order`,
    );
    // A screen reader would read every frame aloud otherwise.
    this.#live.ariaLive = isPlaying ? 'off' : 'polite';
    this.#title.textContent = frame.title;
    this.#text.textContent = frame.text;
    this.#play.textContent = isPlaying ? 'Pause' : 'Play';
    this.#position.value = `${index}`;
    const last = this.#animation.frames.length - 1;
    this.#position.ariaValueText = `${index} of ${last}: ${frame.title}`;
    this.#drawHistogram(frame);
    this.#drawCounters(frame, counted);
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
    const { counters } = frame;
    this.#countersBox.hidden = counters === undefined;
    if (counters === undefined) return;
    this.#counted.max = `${counters.keysPerThread}`;
    this.#counted.value = `${counted}`;
    this.#counted.ariaValueText = `${counted} of ${counters.keysPerThread} keys`;
    drawCounters(
      this.#counters,
      digitsOfThread(this.#animation, frame, counters),
      counters,
      counted,
    );
  }
}
