/** What came out wrong, and of how much. */
export interface NanFaults {
  readonly types: readonly string[];
  readonly backends: readonly string[];
  readonly cases: number;
  readonly wrong: number;
  /** The first of them. */
  readonly faults: readonly string[];
}

/** Sorts floats with NaNs of many bits, which `seed` draws. */
export declare function findNanFaults(seed: number): Promise<NanFaults>;
