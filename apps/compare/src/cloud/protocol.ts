/** The messages between the page and the two workers that draw the cloud. */

/** What puts the points in order, from back to front. */
export type OrderedBy = 'builtin' | 'keysweep';

/** From the page. `start` comes first, and once; the cloud then rests until `play`. */
export type ToCloud =
  | {
      readonly kind: 'start';
      readonly canvas: OffscreenCanvas;
      readonly by: OrderedBy;
      readonly count: number;
    }
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'play' }
  | { readonly kind: 'rest' };

/** From a worker. */
export type FromCloud =
  /** About twice a second: frames a second, and the median milliseconds of a frame's sort. */
  | { readonly kind: 'rate'; readonly frames: number; readonly sort: number }
  /** The answer to `rest`: the last frame is drawn. */
  | { readonly kind: 'resting' }
  | { readonly kind: 'failed'; readonly message: string };
