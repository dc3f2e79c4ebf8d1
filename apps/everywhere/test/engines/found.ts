/** What the program in program.ts finds out about an engine. */

/** What is tried, after the imports. 'webgpu' and 'webgl2' include software adapters. */
export type Part = 'NaN bits' | 'auto' | 'cpu' | 'sync' | 'webgpu' | 'RadixSorter' | 'webgl2';

export interface Found {
  readonly userAgent: string;
  readonly isolated: boolean;
  readonly hasSharedMemory: boolean;
  /** What served the third of three sorts of a million keys. */
  readonly served: { readonly backend: string; readonly threads: number };
  /** Codes of the warnings that these sorts came with. */
  readonly warnings: readonly string[];
  /** By backend: its description, or why it is not there. */
  readonly backends: Readonly<Record<string, { readonly works: boolean; readonly text: string }>>;
  readonly results: readonly PartResult[];
}

export interface PartResult {
  readonly part: Part | 'imports';
  readonly passed: number;
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
  readonly milliseconds: number;
}

/** What the program is asked to do. */
export interface Task {
  readonly run: string;
  readonly seed: number;
  readonly parts: readonly Part[];
}
