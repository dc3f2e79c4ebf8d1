/** What a sort is made of: a table of dispatches over named buffers. */

/** Threads of a workgroup, keys of a thread, and keys of a workgroup's tile. */
export const THREADS = 256;
const ITEMS = 4;
export const TILE: number = THREADS * ITEMS;

/** Samples that sample sort takes of a tile. */
const SAMPLES = 64;

/** What a plan is made for: a device's sizes, or smaller ones, to be looked at. */
export interface Shape {
  /** Threads of a workgroup, and keys of a thread; together a tile. */
  readonly threads: number;
  readonly items: number;
  /** Samples of a tile. */
  readonly samples: number;
  /** Keys of a buffer of the buffered radix sort. */
  readonly line: number;
  /** Bits of the keys, a multiple of 4: no pass has others. On the CPU a digit is a quarter. */
  readonly keyBits: number;
}

/** What is measured. */
export const SHAPE: Shape = {
  threads: THREADS,
  items: ITEMS,
  samples: SAMPLES,
  line: 16,
  keyBits: 32,
};

/** The callers' buffers, by the names that dispatches call them; all others are scratch. */
export const KEYS = 'keys';
export const VALUES = 'values';

/** Numbers by name: a struct `Params`, or constants. */
export type Numbers = Readonly<Record<string, number>>;

/** One dispatch of a kernel of kernels/wgsl. */
export interface Dispatch {
  /** The file, without its ending. */
  readonly kernel: string;
  readonly entryPoint: string;
  /** What the kernel is specialised with, besides what all are. */
  readonly constants: Numbers;
  /** The fields of its struct `Params`. */
  readonly params: Numbers;
  /** The buffer of each of its variables. */
  readonly buffers: Readonly<Record<string, string>>;
  readonly workgroups: number;
  /** Workgroups in z, of kernels that sort several ranges. */
  readonly depth: number;
}

/** Where records lie. */
export interface Place {
  readonly keys: string;
  readonly values: string;
}

/** The dispatches of one sort, the words of its scratch buffers, and where its result is. */
export interface Plan {
  readonly dispatches: readonly Dispatch[];
  readonly scratch: Readonly<Record<string, number>>;
  readonly result: Place;
}

/** The least number of pieces of `size` that hold `count`. */
export const piecesOf = (count: number, size: number): number => Math.ceil(count / size);

/** What kernels are specialised with, where a dispatch says nothing else. */
export const constantsOf = ({ threads, items, samples }: Shape): Numbers => ({
  THREADS: threads,
  ITEMS: items,
  TILE: threads * items,
  SAMPLES: samples,
  BUCKETS: 2 * samples - 1,
  VALUES: 0,
  RANGES: 0,
  LAYOUT: 0,
});

/** Where records come from, and where they go. */
export const HERE: Place = { keys: KEYS, values: VALUES };
export const OTHER: Place = { keys: 'otherKeys', values: 'otherValues' };

/** A plan being made. */
export class Table {
  readonly dispatches: Dispatch[] = [];
  readonly scratch: Record<string, number> = {};
  readonly count: number;
  readonly hasValues: boolean;
  readonly shape: Shape;
  /** Keys of a tile, and tiles. */
  readonly tile: number;
  readonly tiles: number;

  constructor(count: number, hasValues: boolean, shape: Shape) {
    this.count = count;
    this.hasValues = hasValues;
    this.shape = shape;
    this.tile = shape.threads * shape.items;
    this.tiles = piecesOf(count, this.tile);
  }

  /** Adds a dispatch. `more` are its constants, and its workgroups in z. */
  add(
    kernel: string,
    entryPoint: string,
    params: Numbers,
    buffers: Dispatch['buffers'],
    workgroups: number,
    more: { readonly constants?: Numbers; readonly depth?: number } = {},
  ): void {
    const constants = { VALUES: Number(this.hasValues), ...more.constants };
    const depth = more.depth ?? 1;
    const one = { kernel, entryPoint, constants, params, buffers, workgroups, depth };
    this.dispatches.push(one);
  }

  /** Room for the records once more. */
  addOther(): void {
    this.scratch[OTHER.keys] = this.count;
    if (this.hasValues) this.scratch[OTHER.values] = this.count;
  }

  /** The variables of a kernel that moves records. */
  moving(from: Place, to: Place): Record<string, string> {
    const keys = { sourceKeys: from.keys, targetKeys: to.keys };
    if (!this.hasValues) return keys;
    return { ...keys, sourceValues: from.values, targetValues: to.values };
  }

  /** Adds a scan of `words` counts, with all its levels. */
  addScan(counts: string, words: number, backwards = 0): void {
    const sums = `${counts}Sums`;
    const tiles = piecesOf(words, this.tile);
    this.scratch[sums] = tiles;
    const params = { count: words, backwards };
    const buffers = { counts, sums };
    this.add('scan', 'scanTiles', params, buffers, tiles);
    if (tiles === 1) return;
    this.addScan(sums, tiles);
    this.add('scan', 'addSums', params, buffers, tiles);
  }

  /** The plan, whose result is at `result`. */
  done(result: Place = HERE): Plan {
    return { dispatches: this.dispatches, scratch: this.scratch, result };
  }
}
