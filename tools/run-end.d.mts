/** What a test run ends with. */
export interface RunEnd {
  readonly passed: number;
  readonly failed: number;
  /** Each skipped test with its reason. */
  readonly skipped: readonly string[];
  /** Each failed test with its error. */
  readonly failures: readonly string[];
  readonly files: readonly { readonly name: string; readonly milliseconds: number }[];
}

/** Prints an end; its last line is the counts. */
export function printEnd(end: RunEnd): void;
