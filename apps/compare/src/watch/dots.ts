/** Keys as dots on a canvas: position from left to right, value from bottom to top. */

import { type Animation, digitOf, type Frame, KEY_BITS } from './frame.js';

/** Milliseconds that dots take from one frame to the next. */
const TRANSITION = 420;

export class Dots {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  #drawn: { animation: Animation; frame: Frame; places: Float32Array } | undefined;
  #request = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d') as CanvasRenderingContext2D;
    const again = (): void => this.#redraw();
    new ResizeObserver(again).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  }

  /** Shows a frame; if `isSmooth`, the dots move to it from the frame before. */
  show(animation: Animation, frame: Frame, isSmooth: boolean): void {
    cancelAnimationFrame(this.#request);
    const target = placesIn(frame);
    const from = this.#drawn?.animation === animation ? this.#drawn.places : target;
    if (!isSmooth || from === target) {
      this.#draw(animation, frame, target);
      return;
    }
    const places = from.slice();
    const start = performance.now();
    const step = (now: number): void => {
      const share = Math.min(1, Math.max(0, now - start) / TRANSITION);
      // Slow at both ends.
      const eased = share * share * (3 - 2 * share);
      for (let id = 0; id < places.length; id++) {
        places[id] = (from[id] as number) * (1 - eased) + (target[id] as number) * eased;
      }
      this.#draw(animation, frame, share < 1 ? places : target);
      if (share < 1) this.#request = requestAnimationFrame(step);
    };
    this.#request = requestAnimationFrame(step);
  }

  #redraw(): void {
    if (this.#drawn !== undefined) {
      this.#draw(this.#drawn.animation, this.#drawn.frame, this.#drawn.places);
    }
  }

  #draw(animation: Animation, frame: Frame, places: Float32Array): void {
    this.#drawn = { animation, frame, places };
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
    const colours = coloursOf(animation, frame, isDark);
    for (let id = 0; id < n; id++) {
      const x = pad + (((places[id] as number) + 0.5) / n) * w;
      const y = pad + (1 - (animation.keys[id] as number) / 2 ** KEY_BITS) * h;
      context.fillStyle = colours[id] as string;
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    }
  }
}

/** The position of each key, by its number. */
function placesIn({ order }: Frame): Float32Array {
  const places = new Float32Array(order.length);
  order.forEach((id, position) => {
    places[id] = position;
  });
  return places;
}

/** A colour for each key, by its number: that of its digit, or of its group. */
function coloursOf({ keys }: Animation, { digit, groups }: Frame, isDark: boolean): string[] {
  if (digit !== undefined) {
    return Array.from(keys, (key) => colourOf(digitOf(key, digit), 2 ** digit.bits, isDark));
  }
  if (groups !== undefined)
    return Array.from(groups.of, (group) => colourOf(group, groups.count, isDark));
  return Array.from(keys, () => colourOf(0, 2, isDark));
}

/** From dark blue to light orange; the lightness alone is in order too. */
export function colourOf(value: number, count: number, isDark: boolean): string {
  const share = count < 2 ? 0 : value / (count - 1);
  const lightness = isDark ? 0.6 + 0.28 * share : 0.4 + 0.3 * share;
  return `oklch(${lightness.toFixed(3)} 0.16 ${(262 + 160 * share).toFixed(1)})`;
}
