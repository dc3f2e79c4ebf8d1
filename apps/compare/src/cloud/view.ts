/** The cloud on the page: two canvases side by side, what a sort takes, how many points. */

import { byId, make, notify } from '../page/dom.js';
import { formatLength, formatTime } from '../page/format.js';
import type { Moving } from '../page/stillness.js';
import type { FromCloud, OrderedBy, ToCloud } from './protocol.js';

/** Pixels of a canvas, each way. */
const SIZE = 520;
const COUNTS = [1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6];

/** One canvas with its worker. */
class Half {
  readonly #worker: Worker;
  readonly #rate: HTMLElement;
  readonly #sort: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  #isLost = false;
  #onRest: () => void = () => {};

  constructor(by: OrderedBy, count: number, onFailure: (message: string) => void) {
    const figure = byId(`cloud-${by}`);
    this.#rate = figure.querySelector('.rate') as HTMLElement;
    this.#sort = figure.querySelector('.sort-time') as HTMLElement;
    this.#canvas = make('canvas', { width: SIZE, height: SIZE, role: 'img' });
    (figure.querySelector('.screen') as HTMLElement).replaceChildren(this.#canvas);
    this.name(count);
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      type: 'module',
      name: `keysweep cloud ${by}`,
    });
    this.#worker.onerror = (event) => {
      event.preventDefault();
      onFailure(event.message || 'its code could not be loaded');
      this.#isLost = true;
      this.#onRest();
    };
    this.#worker.onmessage = ({ data }: MessageEvent<FromCloud>) => {
      if (data.kind === 'rate') this.#show(data.frames, data.sort);
      else if (data.kind === 'resting') this.#onRest();
      else onFailure(data.message);
    };
    const canvas = this.#canvas.transferControlToOffscreen();
    this.send({ kind: 'start', canvas, by, count }, [canvas]);
  }

  name(count: number): void {
    this.#canvas.ariaLabel = `A turning cloud of ${formatLength(count)} points`;
  }

  send(message: ToCloud, moved: Transferable[] = []): void {
    this.#worker.postMessage(message, moved);
  }

  /** Resolves when nothing is drawn any more. */
  rest(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRest = resolve;
      if (this.#isLost) resolve();
      this.send({ kind: 'rest' });
    });
  }

  #show(frames: number, sort: number): void {
    const rate = frames < 10 ? frames.toFixed(1) : `${Math.round(frames)}`;
    // A fast sort is not seen in frames, because the screen has no more than it has.
    this.#rate.textContent = `${rate} frames a second`;
    this.#sort.textContent = formatTime(sort);
  }
}

export class CloudView implements Moving {
  readonly #count = byId('cloud-count', HTMLInputElement);
  readonly #button = byId('cloud-play', HTMLButtonElement);
  readonly #halves: readonly Half[];
  /** Whether somebody wants to see it move. */
  #isWanted = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  #isVisible = false;
  #isResting = false;
  #isPlaying = false;

  constructor() {
    this.#count.max = `${COUNTS.length - 1}`;
    const onFailure = (message: string): void => {
      notify(byId('cloud-status'), `The cloud cannot be drawn: ${message}.`, true);
    };
    this.#halves = (['builtin', 'keysweep'] as const).map(
      (by) => new Half(by, this.#points, onFailure),
    );
    this.#count.addEventListener('input', () => this.#showCount());
    this.#count.addEventListener('change', () => this.#load());
    this.#button.addEventListener('click', () => {
      this.#isWanted = !this.#isWanted;
      this.#follow();
    });
    new IntersectionObserver(([entry]) => {
      this.#isVisible = entry?.isIntersecting === true;
      this.#follow();
    }).observe(byId('cloud'));
    this.#showCount();
    byId('cloud').dataset.state = 'resting';
  }

  async rest(): Promise<void> {
    this.#isResting = true;
    this.#follow();
    await Promise.all(this.#halves.map((half) => half.rest()));
  }

  resume(): void {
    this.#isResting = false;
    this.#follow();
  }

  get #points(): number {
    return COUNTS[this.#count.valueAsNumber] as number;
  }

  #showCount(): void {
    const text = `${formatLength(this.#points)} points`;
    byId('cloud-points').textContent = text;
    this.#count.ariaValueText = text;
  }

  #load(): void {
    for (const half of this.#halves) {
      half.name(this.#points);
      half.send({ kind: 'count', count: this.#points });
    }
  }

  /** Moves or stops, as all the conditions say. */
  #follow(): void {
    this.#button.disabled = this.#isResting;
    this.#count.disabled = this.#isResting;
    this.#button.textContent = this.#isWanted ? 'Pause' : 'Play';
    const isPlaying = this.#isWanted && this.#isVisible && !this.#isResting;
    if (isPlaying === this.#isPlaying) return;
    this.#isPlaying = isPlaying;
    for (const half of this.#halves) half.send({ kind: isPlaying ? 'play' : 'rest' });
    byId('cloud').dataset.state = isPlaying ? 'playing' : 'resting';
  }
}
