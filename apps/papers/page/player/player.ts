/** The position in an animation: steps, plays at a speed, and counts keys. */

export interface PlayerState {
  /** Index of the frame. */
  readonly frame: number;
  /** Keys counted in this frame. */
  readonly counted: number;
  readonly isPlaying: boolean;
}

/** Milliseconds for a frame at speed 1. */
const FRAME = 2400;
/** Milliseconds for a key that is counted at speed 1. */
const KEY = 350;

export class Player {
  readonly #onMove: (state: PlayerState, isSmooth: boolean) => void;
  #frames = 1;
  /** Keys to count in each frame; 0 where nothing is counted. */
  #keys: readonly number[] = [];
  #state: PlayerState = { frame: 0, counted: 0, isPlaying: false };
  #timer: ReturnType<typeof setTimeout> | undefined;
  speed = 1;

  constructor(onMove: (state: PlayerState, isSmooth: boolean) => void) {
    this.#onMove = onMove;
  }

  get state(): PlayerState {
    return this.#state;
  }

  /** Goes to the first frame of another animation. `keys` are the keys to count in each frame. */
  load(keys: readonly number[]): void {
    this.#frames = keys.length;
    this.#keys = keys;
    this.#move({ frame: 0, counted: 0, isPlaying: false }, false);
  }

  /** Goes to a frame, and stops playing. */
  go(frame: number): void {
    const within = Math.max(0, Math.min(this.#frames - 1, frame));
    this.#move({ frame: within, counted: 0, isPlaying: false }, true);
  }

  count(counted: number): void {
    this.#move({ ...this.#state, counted, isPlaying: false }, false);
  }

  toggle(): void {
    const { frame, counted, isPlaying } = this.#state;
    if (isPlaying) this.#move({ frame, counted, isPlaying: false }, false);
    else if (frame === this.#frames - 1)
      this.#move({ frame: 0, counted: 0, isPlaying: true }, true);
    else this.#move({ frame, counted, isPlaying: true }, false);
  }

  #move(state: PlayerState, isSmooth: boolean): void {
    clearTimeout(this.#timer);
    this.#state = state;
    this.#onMove(state, isSmooth);
    if (!this.#state.isPlaying) return;
    const keys = this.#keys[state.frame] ?? 0;
    const wait = (keys > 0 ? KEY : FRAME) / this.speed;
    this.#timer = setTimeout(() => this.#advance(), wait);
  }

  #advance(): void {
    const { frame, counted } = this.#state;
    if (counted < (this.#keys[frame] ?? 0)) {
      this.#move({ frame, counted: counted + 1, isPlaying: true }, false);
      return;
    }
    const next = frame + 1;
    this.#move({ frame: next, counted: 0, isPlaying: next < this.#frames - 1 }, true);
  }
}
