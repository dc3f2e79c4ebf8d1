/** The messages between a page and the worker that runs one of its blocks. */

/** From the page, once. */
export interface ToBlock {
  /** Where keysweep's one file is. */
  readonly bundle: string;
  readonly code: string;
}

/** The call of `sort` in a block, repeated in turns with the built-in; medians, milliseconds. */
export interface Comparison {
  readonly length: number;
  readonly builtin: number;
  readonly keysweep: number;
  readonly backend: string;
  readonly threads: number;
  /** Whether both results are the same, bit for bit. */
  readonly isEqual: boolean;
}

export type FromBlock =
  | { readonly kind: 'line'; readonly text: string }
  | {
      readonly kind: 'done';
      readonly milliseconds: number;
      readonly comparison: Comparison | undefined;
    }
  | { readonly kind: 'failed'; readonly text: string };
