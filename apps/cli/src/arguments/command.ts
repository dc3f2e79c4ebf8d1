/** What a command line says. */

import type { KeyType, Order } from '@keysweep/core';
import type { SortProcess } from '@keysweep/external';
import type { RecordKey } from '@keysweep/files';
import type { SortOptions } from 'keysweep';
import type { FileFormat, Goal } from '../formats.js';
import type { ColumnSpec } from '../specs.js';
import type { CommandName } from './help.js';

/** The input and its format. */
export type Input =
  | {
      readonly format: 'raw';
      readonly path: string | undefined;
      readonly keyType: KeyType;
      /** Whether the caller says that the bytes are numbers, even if they look like text. */
      readonly isSure: boolean;
    }
  | {
      readonly format: 'npy';
      readonly path: string;
      /** The type that --type says the values have. */
      readonly keyType: KeyType | undefined;
    }
  | {
      readonly format: 'parquet' | 'arrow';
      readonly path: string;
      /** Most significant first, at least one. */
      readonly columns: readonly ColumnSpec[];
      /** The type that --type says the columns have. */
      readonly keyType: KeyType | undefined;
    }
  | {
      readonly format: 'csv' | 'tsv';
      readonly path: string | undefined;
      /** Most significant first, at least one. */
      readonly columns: readonly ColumnSpec[];
      /** undefined for that of the format. */
      readonly delimiter: string | undefined;
      readonly header: boolean;
      readonly keyType: undefined;
    }
  | {
      readonly format: 'records';
      readonly path: string | undefined;
      /** Bytes of a record. */
      readonly width: number;
      /** Most significant first, at least one. */
      readonly keys: readonly RecordKey[];
    };

/** How a report is printed. */
export type ReportStyle = 'text' | 'json';

export interface SortCommand {
  readonly name: 'sort';
  readonly input: Input;
  readonly goal: Goal;
  /** undefined for standard output. */
  readonly output: string | undefined;
  readonly outputFormat: FileFormat;
  /** Whether an output was named: with '-o -' even a terminal gets the bytes. */
  readonly explicitOutput: boolean;
  readonly order: Order;
  /** How many rows or values are written at most. */
  readonly head: number | undefined;
  readonly backend: Exclude<SortOptions['backend'], undefined>;
  readonly threads: number | undefined;
  readonly report: ReportStyle | undefined;
  /** Bytes that the sort may take; undefined for as many as it takes. */
  readonly memory: number | undefined;
  /** The folder for temporary files. */
  readonly tmp: string | undefined;
  /** Whether of equal keys only the first is written. */
  readonly unique: boolean;
  /** Whether to go on where a killed command stopped. */
  readonly resume: boolean;
  /** Child processes that sort; undefined for none. */
  readonly processes: readonly SortProcess[] | undefined;
}

/** What a file holds: numbers or records. */
export type FileLayout =
  | { readonly type: KeyType }
  | { readonly record: { readonly bytes: number; readonly keys: readonly RecordKey[] } };

export interface CheckCommand {
  readonly name: 'check';
  readonly path: string;
  readonly layout: FileLayout;
  readonly order: Order;
  /** Whether to print the number of records, their checksum and the repeated keys. */
  readonly sum: boolean;
}

export interface GenCommand {
  readonly name: 'gen';
  readonly records: number;
  readonly seed: number;
  /** undefined for standard output. */
  readonly output: string | undefined;
  readonly explicitOutput: boolean;
}

export interface SubmitCommand {
  readonly name: 'submit';
  /** Files one after the other, at least one. */
  readonly paths: readonly string[];
  readonly output: string;
  readonly layout: FileLayout;
  readonly order: Order;
  /** The address of the store, or how many workers a store of its own gets. */
  readonly at: { readonly connection: string } | { readonly local: number };
  readonly memory: number | undefined;
  readonly parts: number | undefined;
  readonly tmp: string | undefined;
  readonly report: ReportStyle | undefined;
}

export interface WorkerCommand {
  readonly name: 'worker';
  readonly connection: string;
  /** What jobs may read and write: folders, and beginnings of addresses. */
  readonly roots: readonly string[];
  /** Jobs at a time. */
  readonly concurrency: number | undefined;
  readonly threads: number | undefined;
  /** The GPU that it alone uses. */
  readonly gpu: number | undefined;
}

export interface DoctorCommand {
  readonly name: 'doctor';
  readonly json: boolean;
  /** Whether backends are measured first. */
  readonly calibrate: boolean;
}

/** The shells that complete commands. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export interface CompletionCommand {
  readonly name: 'completion';
  readonly shell: (typeof SHELLS)[number];
}

export type Command =
  | { readonly name: 'usage' }
  | CompletionCommand
  | { readonly name: 'help'; readonly of?: CommandName }
  | { readonly name: 'version' }
  | SortCommand
  | CheckCommand
  | GenCommand
  | SubmitCommand
  | WorkerCommand
  | DoctorCommand;
