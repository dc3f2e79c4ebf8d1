/** What a reader moves a player with: buttons, a slider, a choice of speed, and the keyboard. */

import { make, option } from '@keysweep/compare/page/dom.js';
import type { Moving } from '@keysweep/compare/page/stillness.js';
import { Player, type PlayerState } from './player.js';

const SPEEDS = [0.5, 1, 2, 4];

/** What the controls ask of the view that they are for. */
export interface Played {
  /** Draws a frame, which comes gradually if `isSmooth`. Returns what is seen, in words. */
  readonly draw: (state: PlayerState, isSmooth: boolean) => string;
  readonly otherKeys: () => void;
  /** Speed at "1×". */
  readonly pace?: number;
}

export class Controls implements Moving {
  readonly player: Player;
  /** The choice of speed, and all else. */
  readonly speed: HTMLElement;
  readonly actions: HTMLElement;
  readonly #played: Played;
  readonly #play = make('button', { type: 'button', name: 'play', class: 'primary' }, 'Play');
  readonly #position = make('input', { type: 'range', name: 'frame', min: 0, step: 1, value: 0 });
  #last = 0;

  /** Keys that are pressed within `stage` step and play. */
  constructor(stage: HTMLElement, played: Played) {
    const { pace = 1, otherKeys } = played;
    this.#played = played;
    this.player = new Player((state, isSmooth) => this.#draw(state, isSmooth));
    this.player.speed = pace;
    const options = SPEEDS.map((speed) => option(`${speed}`, `${speed}×`));
    const speed = make('select', { name: 'speed', autocomplete: 'off' }, ...options);
    speed.value = '1';
    speed.addEventListener('change', () => {
      this.player.speed = pace * Number(speed.value);
    });
    this.speed = make('label', {}, 'Speed ', speed);
    const button = (text: string, name: string, press: () => void): HTMLButtonElement => {
      const made = make('button', { type: 'button', name }, text);
      made.addEventListener('click', press);
      return made;
    };
    this.#play.addEventListener('click', () => this.player.toggle());
    this.#position.addEventListener('input', () => this.player.go(this.#position.valueAsNumber));
    this.#position.autocomplete = 'off';
    const name = make('span', { class: 'hidden' }, 'Step of the sort');
    this.actions = make(
      'div',
      { class: 'actions' },
      button('Back', 'back', () => this.#go(-1)),
      this.#play,
      button('Step', 'forward', () => this.#go(1)),
      button('Other keys', 'other-keys', otherKeys),
      make('label', { class: 'position' }, name, this.#position),
    );
    stage.addEventListener('keydown', (event) => this.#press(event));
  }

  /** Goes to the first frame of another sort. `keys` are the keys to count in each frame. */
  load(keys: readonly number[]): void {
    this.#last = keys.length - 1;
    this.#position.max = `${this.#last}`;
    this.player.load(keys);
  }

  /** Stops playing, and does not go on by itself. */
  async rest(): Promise<void> {
    if (this.player.state.isPlaying) this.player.toggle();
    this.#play.disabled = true;
  }

  resume(): void {
    this.#play.disabled = false;
  }

  #go(by: number): void {
    this.player.go(this.player.state.frame + by);
  }

  #draw(state: PlayerState, isSmooth: boolean): void {
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const seen = this.#played.draw(state, isSmooth && !isStill);
    this.#play.textContent = state.isPlaying ? 'Pause' : 'Play';
    this.#position.value = `${state.frame}`;
    this.#position.ariaValueText = `${state.frame} of ${this.#last}: ${seen}`;
  }

  /** Arrows, Home, End and the space bar, but not those that a control takes for itself. */
  #press(event: KeyboardEvent): void {
    const { target, key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const steps: Readonly<Record<string, () => void>> = {
      ArrowRight: () => this.#go(1),
      ArrowLeft: () => this.#go(-1),
      Home: () => this.player.go(0),
      End: () => this.player.go(this.#last),
    };
    const isPressed = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
    const play = key === ' ' && !isPressed ? () => this.player.toggle() : undefined;
    const move = target instanceof HTMLInputElement ? play : (steps[key] ?? play);
    if (move === undefined) return;
    event.preventDefault();
    move();
  }
}
