/** What is known of the names in a block of code: see ../../types.ts, which finds it out. */

export interface TypedName {
  /** Where the name stands in the code. */
  readonly from: number;
  readonly to: number;
  /** "function sort<Keys>(keys: Keys, options?: SortOptions): Promise<Keys>" */
  readonly type: string;
  /** The first paragraph of its docstring, or ''. */
  readonly about: string;
}

export interface TypedBlock {
  readonly code: string;
  readonly names: readonly TypedName[];
}
