/** Where in a show one is: steps, plays at a speed, and counts keys on the way. */

export interface Moment {
  /** Index of the frame. */
  readonly frame: number;
  /** Keys that the counters have counted in it. */
  readonly counted: number;
  readonly isPlaying: boolean;
}

/** Milliseconds for a frame at speed 1. */
const FRAME = 1800;
/** Milliseconds for a key that is counted at speed 1. */
const KEY = 350;

export class Player {
  readonly #onMove: (moment: Moment, glides: boolean) => void;
  #frames = 1;
  /** Keys to count in each frame; 0 where nothing is counted. */
  #keys: readonly number[] = [];
  #moment: Moment = { frame: 0, counted: 0, isPlaying: false };
  #timer: ReturnType<typeof setTimeout> | undefined;
  speed = 1;

  constructor(onMove: (moment: Moment, glides: boolean) => void) {
    this.#onMove = onMove;
  }

  get moment(): Moment {
    return this.#moment;
  }

  /** Begins at the first frame of another show. `keys` are to be counted in each frame. */
  load(keys: readonly number[]): void {
    this.#frames = keys.length;
    this.#keys = keys;
    this.#move({ frame: 0, counted: 0, isPlaying: false }, false);
  }

  /** Goes to a frame, and stops playing. */
  go(frame: number): void {
    const within = Math.max(0, Math.min(this.#frames - 1, frame));
    const isNext = Math.abs(within - this.#moment.frame) === 1;
    this.#move({ frame: within, counted: 0, isPlaying: false }, isNext);
  }

  count(counted: number): void {
    this.#move({ ...this.#moment, counted, isPlaying: false }, false);
  }

  toggle(): void {
    const { frame, counted, isPlaying } = this.#moment;
    if (isPlaying) this.#move({ frame, counted, isPlaying: false }, false);
    else if (frame === this.#frames - 1)
      this.#move({ frame: 0, counted: 0, isPlaying: true }, false);
    else this.#move({ frame, counted, isPlaying: true }, false);
  }

  #move(moment: Moment, glides: boolean): void {
    clearTimeout(this.#timer);
    this.#moment = moment;
    this.#onMove(moment, glides);
    if (!this.#moment.isPlaying) return;
    const keys = this.#keys[moment.frame] ?? 0;
    const wait = (keys > 0 ? KEY : FRAME) / this.speed;
    this.#timer = setTimeout(() => this.#advance(), wait);
  }

  #advance(): void {
    const { frame, counted } = this.#moment;
    if (counted < (this.#keys[frame] ?? 0)) {
      this.#move({ frame, counted: counted + 1, isPlaying: true }, false);
      return;
    }
    const next = frame + 1;
    this.#move({ frame: next, counted: 0, isPlaying: next < this.#frames - 1 }, true);
  }
}
