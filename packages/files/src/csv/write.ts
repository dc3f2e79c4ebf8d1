/** Writes rows of a text with the bytes that they have. */

import type { ByteSink } from '../source.js';
import { CR, LF } from './dialect.js';
import type { Lines } from './scan.js';

/** Bytes that are handed over in one write. */
const PIECE = 4 << 20;
/** From so many bytes on a call is quicker than a loop: what it makes is garbage, too. */
const LONG = 128;
/** Rows that are looked up together: see `writeLines`. */
const BLOCK = 64;

/** The end that the last line gets where it has none: that of the first line. */
function missingEnd({ bytes, starts, rows }: Lines): Uint8Array | undefined {
  if (rows === 0 || bytes[bytes.length - 1] === LF) return undefined;
  // The first row may have line ends in quotes, so its end is what counts.
  const end = starts[1] as number;
  const isCrlf = rows > 1 && bytes[end - 2] === CR;
  return isCrlf ? Uint8Array.of(CR, LF) : Uint8Array.of(LF);
}

/**
 * Writes the first `first` rows, which stay where they are, with whatever is before them, and then
 * `first` + i for each i of `order`. `onWritten` is told how many of `order` are written.
 */
export async function writeLines(
  sink: ByteSink,
  lines: Lines,
  first: number,
  order: Uint32Array,
  onWritten: (completed: number) => void,
): Promise<void> {
  const { bytes, starts, rows } = lines;
  const pieces = new Pieces(sink);
  const ending = missingEnd(lines);
  const head = starts[first] as number;
  await pieces.add(bytes, 0, head);
  if (rows === first && ending !== undefined) await pieces.add(ending, 0, ending.length);
  for (let from = 0; from < order.length; from += BLOCK) {
    const to = Math.min(from + BLOCK, order.length);
    // The processor waits for all of these loads at once, and the copies below find their lines in
    // its cache. That is four times as fast.
    let seen = 0;
    for (let i = from; i < to; i++) {
      const row = first + (order[i] as number);
      seen ^= bytes[starts[row] as number] as number;
    }
    for (let i = from; i < to; i++) {
      const row = first + (order[i] as number);
      seen ^= bytes[(starts[row + 1] as number) - 1] as number;
    }
    lastSeen = seen;
    for (let i = from; i < to; i++) {
      const row = first + (order[i] as number);
      const [start, end] = [starts[row] as number, starts[row + 1] as number];
      if (!pieces.fits(end - start)) await pieces.add(bytes, start, end);
      else pieces.copy(bytes, start, end);
      if (ending !== undefined && row === rows - 1) await pieces.add(ending, 0, ending.length);
    }
    onWritten(to);
  }
  await pieces.end();
}

/** @public Loads whose value is not kept would be left out. */
export let lastSeen = 0;

/** Gathers bytes to write many of them at once; one piece is written while the next is filled. */
class Pieces {
  readonly #sink: ByteSink;
  #piece = new Uint8Array(PIECE);
  #other = new Uint8Array(PIECE);
  #used = 0;
  #written: Promise<void> = Promise.resolve();

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Whether `size` bytes can be added without a write. */
  fits(size: number): boolean {
    return this.#used + size <= PIECE;
  }

  /** Adds bytes that fit. */
  copy(bytes: Uint8Array, from: number, to: number): void {
    const piece = this.#piece;
    let at = this.#used;
    if (to - from >= LONG) {
      piece.set(bytes.subarray(from, to), at);
      at += to - from;
    } else for (let i = from; i < to; ) piece[at++] = bytes[i++] as number;
    this.#used = at;
  }

  /** Adds any number of bytes. */
  async add(bytes: Uint8Array, from: number, to: number): Promise<void> {
    for (let at = from; at < to; ) {
      const end = Math.min(to, at + PIECE - this.#used);
      this.copy(bytes, at, end);
      at = end;
      if (this.#used === PIECE) await this.#write();
    }
  }

  /** Resolves when all is written. */
  async end(): Promise<void> {
    await this.#write();
    await this.#written;
  }

  async #write(): Promise<void> {
    await this.#written;
    if (this.#used > 0) this.#written = this.#sink.write(this.#piece.subarray(0, this.#used));
    // An error is thrown where this is awaited.
    this.#written.catch(() => {});
    [this.#piece, this.#other] = [this.#other, this.#piece];
    this.#used = 0;
  }
}
