/** A sort that was measured beside the built-in one. */
export interface Case {
  readonly operation: string;
  readonly keyType: string;
  /** 'random', for instance, or 'a column of a file'. */
  readonly distribution: string;
  /** Whether the keys are somebody's, and were not drawn. */
  readonly isReal: boolean;
  readonly length: number;
  readonly backend: string;
  /** Milliseconds, medians: keysweep's, and the built-in sort's. */
  readonly ours: number;
  readonly theirs: number;
}

/** What a record holds, as far as it is read here. */
export interface StoredRecord {
  readonly date: string;
  readonly format?: string;
  readonly machine?: { readonly cpu: string; readonly cores: number };
  readonly gpu?: { readonly device: string };
  readonly facts?: {
    readonly browser: string;
    readonly threads: number;
    readonly probes: Readonly<
      Record<string, { readonly capabilities?: { readonly description: string } } | undefined>
    >;
  };
}

/** Whether the comparison page wrote it. */
export function isOfPage(record: StoredRecord): boolean;

/** The sorts in a record that were measured beside the built-in one. */
export function casesOf(record: StoredRecord): Case[];

/** What makes a record unbelievable, each in a sentence. */
export function faultsOf(record: unknown): string[];

/** What the README of the records says of each machine. */
export function machinesIn(
  readme: string,
): Map<string, { readonly description: string; readonly isOurs: boolean }>;

/** The faults of a record's text, and of its name below the folder of records. */
export function faultsOfFile(
  name: string,
  text: string,
  machines: ReadonlyMap<string, unknown>,
): string[];

/** What the comparison page measures: 'builtin', 'cpu' and so on. */
export const SERIES: readonly string[];
