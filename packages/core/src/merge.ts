/**
 * The merge of sorted runs of one array. A device sorts an array that is too long for it part by
 * part; the host then merges the parts.
 */

import { type OnArrayBuffer, traitsOf } from './elements.js';
import { areOrderWords, type OrderedColumn, orderWords, roomForWords } from './keys/order-words.js';
import { slicesOf } from './request/slices.js';

/** Elements between two pauses: some milliseconds of work. */
const STEP = 2 ** 18;

/**
 * The stable permutation that merges the sorted runs of an array: element i of the result is
 * the position, in the array of runs, of the element that belongs at i. Equal keys come in the
 * order of their runs, and of their positions within a run.
 *
 * `columns` are the keys, most significant first, all of one length and each with its own
 * order. Run r is the elements from `starts[r]` to `starts[r + 1]`, the last one to the end,
 * and is sorted already. The first start is 0, none is below the one before, none is over the
 * length. Runs may be empty; only an array without elements may have no run. None of this is
 * checked, and none of these arrays may change before the merge is done.
 *
 * Yields the number of elements merged so far about every 2^18 elements, so that the caller can
 * pause, report or stop. It is 0 while keys are being prepared.
 *
 * O(n log k) comparisons for n elements in k runs. Allocates the result, 4 bytes an element,
 * and for each column 4 bytes an element, 8 for 64-bit keys; none for ascending u32 keys, which
 * are read where they are, unless `keyBits` is given.
 * @throws RangeError when the engine can't allocate that.
 */
export function* mergeRuns(
  columns: readonly OrderedColumn[],
  starts: Uint32Array,
): Generator<number, OnArrayBuffer<Uint32Array>> {
  const length = columns[0]?.keys.length ?? 0;
  const permutation = new Uint32Array(length);
  const words: Uint32Array[] = [];
  for (const column of columns) words.push(...(yield* columnWords(column)));
  const tree = new LoserTree(words, starts, length);
  for (let done = 0; done < length; ) {
    const step = permutation.subarray(done, done + STEP);
    tree.take(step);
    done += step.length;
    yield done;
  }
  return permutation;
}

/**
 * The words of a column; of 64-bit keys two columns, the high halves first. Yields 0 in
 * between.
 */
function* columnWords(column: OrderedColumn): Generator<number, Uint32Array[]> {
  const { keys } = column;
  const room = roomForWords(column, areOrderWords(column) ? 0 : keys.length);
  if (areOrderWords(column)) return [orderWords(column, room).lows];
  for (const [from, to] of slicesOf(keys.length, STEP)) {
    orderWords({ ...column, keys: keys.subarray(from, to) }, room, from);
    yield 0;
  }
  return traitsOf(keys).bits === 64 ? [room.highs, room.lows] : [room.lows];
}

/**
 * A tournament of runs (Knuth, "The Art of Computer Programming" 3, 5.4.1): a run enters at its
 * leaf and climbs; at each node the run with the later head stays, the other goes on, and the one
 * that leaves the root has the next element of the merge. Leaf k + r is run r's, node i's parent is
 * node i / 2, the root is node 1.
 */
class LoserTree {
  /** The most significant words: all that most comparisons need. */
  readonly #words: Uint32Array;
  /** Word columns that decide between equal words, most significant first. */
  readonly #rest: readonly Uint32Array[];
  /** The next element of each run. */
  readonly #cursors: Uint32Array;
  readonly #ends: Uint32Array;
  /** The run that waits at each node. */
  readonly #runs: Uint32Array;
  /** The word of its next element. */
  readonly #heads: Float64Array;
  #winner = 0;

  constructor(
    [words = new Uint32Array(0), ...rest]: readonly Uint32Array[],
    starts: Uint32Array,
    length: number,
  ) {
    this.#words = words;
    this.#rest = rest;
    this.#cursors = starts.slice();
    this.#ends = starts.map((_, run) => starts[run + 1] ?? length);
    this.#runs = new Uint32Array(starts.length);
    // Stand-ins below every word. A run that meets one stays at that node; once every run has
    // entered, all stand-ins have left at the root.
    this.#heads = new Float64Array(starts.length).fill(-1);
    for (let run = 0; run < starts.length; run++) this.#winner = this.#enter(run);
  }

  /** Fills `positions` with the positions of the next elements of the merge. */
  take(positions: Uint32Array): void {
    const cursors = this.#cursors;
    let winner = this.#winner;
    for (let i = 0; i < positions.length; i++) {
      const position = cursors[winner] as number;
      positions[i] = position;
      cursors[winner] = position + 1;
      winner = this.#enter(winner);
    }
    this.#winner = winner;
  }

  /** Moves `run` up from its leaf with its next element. Returns the run that leaves the root. */
  #enter(run: number): number {
    const runs = this.#runs;
    const heads = this.#heads;
    const cursor = this.#cursors[run] as number;
    // Runs at their end come after every word, and in an order of their own: they have no element
    // for the columns to decide by.
    let head =
      cursor < (this.#ends[run] as number) ? (this.#words[cursor] as number) : 2 ** 32 + run;
    let climber = run;
    for (let node = (run + runs.length) >>> 1; node > 0; node >>>= 1) {
      const waiting = heads[node] as number;
      if (waiting > head) continue;
      const other = runs[node] as number;
      if (waiting === head && this.#precedes(climber, other)) continue;
      runs[node] = climber;
      heads[node] = head;
      climber = other;
      head = waiting;
    }
    return climber;
  }

  /** Whether run a's next element comes before run b's, their first words being equal. */
  #precedes(a: number, b: number): boolean {
    const i = this.#cursors[a] as number;
    const j = this.#cursors[b] as number;
    for (const words of this.#rest) {
      const [x, y] = [words[i] as number, words[j] as number];
      if (x !== y) return x < y;
    }
    return a < b;
  }
}
