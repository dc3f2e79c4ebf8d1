/** Turns a cloud of points, and puts them in order anew for every frame, on this one thread. */

import { median } from '@keysweep/conformance/statistics';
import { argsortSync } from 'keysweep/sync';
import type { FromCloud, OrderedBy, ToCloud } from './protocol.js';
import { type Cloud, makeCloud, paint, viewAt, writeDepths } from './scene.js';

/** Radians a second: the same for both, however many frames they draw. */
const SPEED = 0.5;
/** Milliseconds between two messages of the rate. */
const INTERVAL = 500;
/** Both workers have the same points. */
const SEED = 7;

const sorts: Readonly<Record<OrderedBy, (depths: Float32Array, order: Uint32Array) => void>> = {
  // The farthest first, beginning with the order of the frame before.
  builtin: (depths, order) => {
    order.sort((a, b) => (depths[b] as number) - (depths[a] as number));
  },
  keysweep: (depths, order) => {
    argsortSync(depths, { order: 'descending', out: order });
  },
};

/** The drawing of one canvas. */
class Turning {
  readonly #context: OffscreenCanvasRenderingContext2D;
  readonly #image: ImageData;
  readonly #pixels: Uint32Array;
  readonly #sort: (depths: Float32Array, order: Uint32Array) => void;
  #cloud: Cloud = makeCloud(0, SEED);
  #depths: Float32Array = new Float32Array();
  #order: Uint32Array = new Uint32Array();
  #request: number | undefined;
  /** Since when frames are counted, how many there were, and the time of each one's sort. */
  #since = 0;
  #times: number[] = [];

  constructor(canvas: OffscreenCanvas, by: OrderedBy) {
    this.#context = canvas.getContext('2d', { alpha: false }) as OffscreenCanvasRenderingContext2D;
    this.#image = this.#context.createImageData(canvas.width, canvas.width);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
    this.#sort = sorts[by];
  }

  /** Takes other points, and draws them once. */
  load(count: number): void {
    this.#cloud = makeCloud(count, SEED);
    this.#depths = new Float32Array(count);
    this.#order = Uint32Array.from({ length: count }, (_, i) => i);
    this.#forget();
    this.#draw(performance.now());
  }

  play(): void {
    this.#forget();
    this.#request ??= requestAnimationFrame(this.#frame);
  }

  rest(): void {
    if (this.#request !== undefined) cancelAnimationFrame(this.#request);
    this.#request = undefined;
  }

  readonly #frame = (): void => {
    this.#request = requestAnimationFrame(this.#frame);
    const now = performance.now();
    const elapsed = now - this.#since;
    if (elapsed >= INTERVAL && this.#times.length > 0) {
      const frames = (1000 * this.#times.length) / elapsed;
      send({ kind: 'rate', frames, sort: median(this.#times) });
      this.#forget();
    }
    this.#draw(now);
  };

  #forget(): void {
    this.#since = performance.now();
    this.#times = [];
  }

  #draw(now: number): void {
    const view = viewAt((SPEED * now) / 1000);
    writeDepths(this.#cloud, view, this.#depths);
    const start = performance.now();
    this.#sort(this.#depths, this.#order);
    this.#times.push(performance.now() - start);
    paint(this.#cloud, view, this.#order, this.#pixels, this.#image.width);
    this.#context.putImageData(this.#image, 0, 0);
  }
}

const send = (message: FromCloud): void => postMessage(message);

let turning: Turning | undefined;

self.onmessage = ({ data }: MessageEvent<ToCloud>) => {
  try {
    if (data.kind === 'start') {
      turning = new Turning(data.canvas, data.by);
      turning.load(data.count);
    } else if (data.kind === 'count') turning?.load(data.count);
    else if (data.kind === 'play') turning?.play();
    else {
      turning?.rest();
      send({ kind: 'resting' });
    }
  } catch (error) {
    send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
};
