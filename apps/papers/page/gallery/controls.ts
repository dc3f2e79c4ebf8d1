/** What a reader steps and plays a sort with: buttons, a slider, a speed, and the keyboard. */

import { make, option } from '@keysweep/compare/page/dom.js';
import type { Moving } from '@keysweep/compare/page/stillness.js';

const SPEEDS = [0.5, 1, 2, 4];

/** Milliseconds for which a step is shown at speed 1. */
const PAUSE = 600;

/** What the controls ask of the view that they are for. */
export interface Played {
  /** Draws a step, which comes gradually if `isSmooth`. Returns what is seen, in words. */
  readonly draw: (step: number, isPlaying: boolean, isSmooth: boolean) => string;
  readonly otherKeys: () => void;
}

export class Controls implements Moving {
  /** The choice of speed, and all else. */
  readonly speed: HTMLElement;
  readonly actions: HTMLElement;
  readonly #played: Played;
  readonly #play = make('button', { type: 'button', name: 'play', class: 'primary' }, 'Play');
  readonly #position = make('input', { type: 'range', name: 'frame', min: 0, step: 1, value: 0 });
  readonly #speed = make(
    'select',
    { name: 'speed', autocomplete: 'off' },
    ...SPEEDS.map((speed) => option(`${speed}`, `${speed}×`)),
  );
  #step = 0;
  #last = 0;
  /** The next step; undefined if the sort does not play. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Keys that are pressed within `stage` step and play. */
  constructor(stage: HTMLElement, played: Played) {
    this.#played = played;
    this.#speed.value = '1';
    this.speed = make('label', {}, 'Speed ', this.#speed);
    const button = (text: string, name: string, press: () => void): HTMLButtonElement => {
      const made = make('button', { type: 'button', name }, text);
      made.addEventListener('click', press);
      return made;
    };
    this.#play.addEventListener('click', () => this.#toggle());
    this.#position.addEventListener('input', () => this.#go(this.#position.valueAsNumber));
    this.#position.autocomplete = 'off';
    const name = make('span', { class: 'hidden' }, 'Step of the sort');
    this.actions = make(
      'div',
      { class: 'actions' },
      button('Back', 'back', () => this.#go(this.#step - 1)),
      this.#play,
      button('Step', 'forward', () => this.#go(this.#step + 1)),
      button('Other keys', 'other-keys', played.otherKeys),
      make('label', { class: 'position' }, name, this.#position),
    );
    stage.addEventListener('keydown', (event) => this.#press(event));
  }

  /** Goes to the input of another sort, which has so many steps. */
  load(steps: number): void {
    this.#last = steps;
    this.#position.max = `${steps}`;
    this.#show(0, { isPlaying: false, isSmooth: false });
  }

  /** Stops playing, and does not go on by itself. */
  async rest(): Promise<void> {
    if (this.#timer !== undefined) this.#toggle();
    this.#play.disabled = true;
  }

  resume(): void {
    this.#play.disabled = false;
  }

  /** Goes to a step, and stops playing. */
  #go(step: number): void {
    const within = Math.max(0, Math.min(this.#last, step));
    this.#show(within, { isPlaying: false, isSmooth: true });
  }

  #toggle(): void {
    const isPlaying = this.#timer === undefined;
    const isAgain = isPlaying && this.#step === this.#last;
    this.#show(isAgain ? 0 : this.#step, { isPlaying, isSmooth: isAgain });
  }

  #show(step: number, { isPlaying, isSmooth }: { isPlaying: boolean; isSmooth: boolean }): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#step = step;
    if (isPlaying) {
      const next = (): void =>
        this.#show(step + 1, { isPlaying: step + 1 < this.#last, isSmooth: true });
      this.#timer = setTimeout(next, PAUSE / Number(this.#speed.value));
    }
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const seen = this.#played.draw(step, isPlaying, isSmooth && !isStill);
    this.#play.textContent = isPlaying ? 'Pause' : 'Play';
    this.#position.value = `${step}`;
    this.#position.ariaValueText = `${step} of ${this.#last}: ${seen}`;
  }

  /** Arrows, Home, End and the space bar, but not those that a control takes for itself. */
  #press(event: KeyboardEvent): void {
    const { target, key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const steps: Readonly<Record<string, () => void>> = {
      ArrowRight: () => this.#go(this.#step + 1),
      ArrowLeft: () => this.#go(this.#step - 1),
      Home: () => this.#go(0),
      End: () => this.#go(this.#last),
    };
    const isPressed = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
    const play = key === ' ' && !isPressed ? () => this.#toggle() : undefined;
    const move = target instanceof HTMLInputElement ? play : (steps[key] ?? play);
    if (move === undefined) return;
    event.preventDefault();
    move();
  }
}
