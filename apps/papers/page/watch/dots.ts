/** Keys as dots on a canvas: position from left to right, value from bottom to top. */

import { type Animation, digitOf, type Frame, KEY_BITS } from './frame.js';

/** Milliseconds that dots take from one frame to the next. */
const TRANSITION = 900;
/** Of it, how long after the first dot the last one leaves: they move from left to right. */
const STAGGER = 0.35;

/** What is on the canvas: the place of each key and its colour, by the key's number. */
interface Picture {
  readonly places: Float32Array;
  readonly colours: Float32Array;
}

export class Dots {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  /** What is drawn now, and where it goes. */
  #drawn: { animation: Animation; frame: Frame; picture: Picture } | undefined;
  #target: Picture | undefined;
  #request = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d') as CanvasRenderingContext2D;
    const again = (): void => this.#redraw();
    new ResizeObserver(again).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  }

  /** Shows a frame; if `isSmooth`, the dots move to it from where they are. */
  show(animation: Animation, frame: Frame, isSmooth: boolean): void {
    cancelAnimationFrame(this.#request);
    const target = pictureOf(animation, frame);
    this.#target = target;
    const isOther = this.#drawn?.animation !== animation;
    const from = isOther ? target : (this.#drawn?.picture ?? target);
    if (!isSmooth || isOther) {
      this.#draw(animation, frame, target);
      return;
    }
    const start = performance.now();
    const step = (now: number): void => {
      const share = Math.min(1, Math.max(0, now - start) / TRANSITION);
      this.#draw(animation, frame, share < 1 ? between(from, target, share) : target);
      if (share < 1) this.#request = requestAnimationFrame(step);
    };
    this.#request = requestAnimationFrame(step);
  }

  /** Ends the way of the dots at once. */
  finish(): void {
    cancelAnimationFrame(this.#request);
    if (this.#drawn === undefined || this.#target === undefined) return;
    this.#draw(this.#drawn.animation, this.#drawn.frame, this.#target);
  }

  #redraw(): void {
    if (this.#drawn === undefined) return;
    const { animation, frame, picture } = this.#drawn;
    this.#draw(animation, frame, picture);
  }

  #draw(animation: Animation, frame: Frame, picture: Picture): void {
    this.#drawn = { animation, frame, picture };
    const { clientWidth, clientHeight } = this.#canvas;
    const scale = devicePixelRatio;
    const [width, height] = [Math.round(clientWidth * scale), Math.round(clientHeight * scale)];
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
    }
    const context = this.#context;
    context.clearRect(0, 0, width, height);
    const pad = 8 * scale;
    const [w, h] = [width - 2 * pad, height - 2 * pad];
    const n = animation.keys.length;
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    if (frame.tile !== undefined) {
      context.fillStyle = isDark ? '#2d3743' : '#d9dee6';
      for (let at = frame.tile; at < n; at += frame.tile) {
        context.fillRect(pad + (at / n) * w, 0, scale, height);
      }
    }
    const radius = Math.max(1.8, Math.min(3.5, (w / scale / n) * 2.4)) * scale;
    for (let id = 0; id < n; id++) {
      const x = pad + (((picture.places[id] as number) + 0.5) / n) * w;
      const y = pad + (1 - (animation.keys[id] as number) / 2 ** KEY_BITS) * h;
      context.fillStyle = colourAt(picture.colours[id] as number, isDark);
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    }
  }
}

/** The picture at a share of the way between two. Each dot is slow at both ends. */
function between(from: Picture, to: Picture, share: number): Picture {
  const n = to.places.length;
  const places = new Float32Array(n);
  const colours = new Float32Array(n);
  for (let id = 0; id < n; id++) {
    const [start, end] = [from.places[id] as number, to.places[id] as number];
    const own = Math.min(1, Math.max(0, (share - STAGGER * (start / n)) / (1 - STAGGER)));
    const eased = own * own * (3 - 2 * own);
    places[id] = start + (end - start) * eased;
    const [first, last] = [from.colours[id] as number, to.colours[id] as number];
    colours[id] = first + (last - first) * eased;
  }
  return { places, colours };
}

/** The position of each key, by its number, and its colour: that of its digit, or of its group. */
function pictureOf({ keys }: Animation, { order, digit, groups }: Frame): Picture {
  const places = new Float32Array(order.length);
  order.forEach((id, position) => {
    places[id] = position;
  });
  if (digit !== undefined) {
    const most = 2 ** digit.bits - 1;
    return { places, colours: Float32Array.from(keys, (key) => digitOf(key, digit) / most) };
  }
  const most = Math.max(1, (groups?.count ?? 1) - 1);
  return { places, colours: Float32Array.from(keys, (_, id) => (groups?.of[id] ?? 0) / most) };
}

/** From dark blue (0) to light orange (1); the lightness alone is in order too. */
export function colourAt(share: number, isDark: boolean): string {
  const lightness = isDark ? 0.6 + 0.28 * share : 0.4 + 0.3 * share;
  return `oklch(${lightness.toFixed(3)} 0.16 ${(262 + 160 * share).toFixed(1)})`;
}
