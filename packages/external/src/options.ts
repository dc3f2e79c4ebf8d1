/** The options of `sortFile` and `checkFile`, their progress and their reports. */

import type { KeyType, Order, Sorter } from 'keysweep';
import type { Storage } from './storage/storage.js';

/** A part of a record to sort by: some bytes, in the order of bytes, or a number. */
export type RecordKey =
  | {
      /** Its first byte in the record. */
      readonly at: number;
      readonly bytes: number;
      /** Default: the order of the call, which is 'ascending' by default. */
      readonly order?: Order;
    }
  | {
      readonly at: number;
      /** A little-endian number, at any byte. */
      readonly type: KeyType;
      readonly order?: Order;
    };

/** Records of a fixed size. */
export interface RecordLayout {
  /** Bytes of a record. */
  readonly bytes: number;
  /** Most significant first. Default: the whole record. */
  readonly keys?: readonly RecordKey[];
}

/** Takes the sorted bytes, one piece after the other. */
export interface ByteSink {
  /** Resolves when `bytes` may be changed; the next call comes after that. */
  write(bytes: Uint8Array): Promise<void>;
}

/** A path, an address `file:`, or an address of the option `storage`, such as `s3://bucket/key`. */
export type FileInput = string | URL;
/** A file or several, or bytes as they come, such as standard input. */
export type SortInput = FileInput | readonly FileInput[] | AsyncIterable<Uint8Array>;
/** A file, or an object that takes the bytes, such as standard output. */
export type SortOutput = FileInput | ByteSink;

/** How far a sort of a file is, in bytes of the input, or of a part that is partitioned again. */
export interface FileProgress {
  /** 'spool' copies an input that comes piece by piece; the others read it. */
  readonly phase: 'spool' | 'sample' | 'partition' | 'sort';
  /** Bytes that are done. */
  readonly completed: number;
  /** Bytes in all; undefined while the end of the input is not known. */
  readonly total: number | undefined;
}

/** A child process of a sort. */
export interface SortProcess {
  /**
   * The GPU that it sorts on, counted from 0, which is then the only one that it finds. Without it
   * the process sorts on the CPU.
   */
  readonly gpu?: number;
  /** Threads of the CPU that it sorts with. Default: an equal share of the machine's threads. */
  readonly threads?: number;
}

/** What a child process did. */
export interface ProcessReport {
  /** Its number, as the system has it. */
  readonly pid: number;
  /** The GPU that it had for itself, counted from 0; absent if it had none. */
  readonly gpu?: number;
  /** The threads of the CPU that it had; absent if it had a GPU. */
  readonly threads?: number;
  /** Parts that it sorted. */
  readonly parts: number;
  /** Bytes that it read, of the input and of parts. */
  readonly bytesRead: number;
  /** Bytes that it wrote, to parts and to the output. */
  readonly bytesWritten: number;
  /** For how long it had something to do. */
  readonly milliseconds: number;
  /** The signal or code that it ended by before the sort did; others did its tasks. */
  readonly endedBy: string | undefined;
}

/** What a sort of a file did. */
export interface FileReport {
  /** Bytes of the input. */
  readonly bytes: number;
  /** Bytes of the output; fewer with `unique`. */
  readonly outputBytes: number;
  /** Bytes that the sort took care to stay within. */
  readonly memory: number;
  /** Parts that were sorted in memory, one after the other. */
  readonly parts: number;
  /**
   * Threads that divided files, in this process (the calling one included) or in all child
   * processes together. 1 if nothing was divided. In a bundle, which lacks the package's files,
   * each process divides with a single thread, and that takes several times as long.
   */
  readonly threads: number;
  /** How often each byte was read and written at most: 1 in memory, 2 by one partition. */
  readonly passes: number;
  /** Bytes of the largest part of a partition over their mean; 1 for one part. */
  readonly imbalance: number;
  /** Bytes read from files, temporary ones included. */
  readonly bytesRead: number;
  /** Bytes written to files, temporary ones included. */
  readonly bytesWritten: number;
  /** Parts that a sort before this one had finished: see `resume`. */
  readonly partsResumed: number;
  /** The child processes; an empty list if this process sorted. */
  readonly processes: readonly ProcessReport[];
  /** Time by phase. */
  readonly milliseconds: {
    readonly spool: number;
    readonly sample: number;
    readonly partition: number;
    /** Reading, sorting and writing parts, which overlap. */
    readonly sort: number;
    readonly total: number;
  };
}

/** Options of `sortFile`: exactly one of `type` and `record`. */
export interface SortFileOptions {
  /** The type of the numbers, if the file is bare little-endian numbers. */
  readonly type?: KeyType;
  /** The layout of a record, if the file is records of a fixed size. */
  readonly record?: RecordLayout;
  /** Bytes for buffers and parts together, at least 65,536. Default: half of the free memory. */
  readonly memory?: number;
  /** Default 'ascending'. For records, the order of keys that have none of their own. */
  readonly order?: Order;
  /** Whether only the first of equal keys is kept; for records, the first in the input. */
  readonly unique?: boolean;
  /**
   * A folder for temporary files, a path or an address. Default: the output's folder if the output
   * is a path, otherwise the system's.
   */
  readonly tmp?: string | URL;
  /** Serves addresses other than `file:`, such as `s3Storage()` of `@keysweep/external/s3`. */
  readonly storage?: Storage;
  /**
   * Whether to continue where a killed process stopped the same sort. The output and `tmp` must be
   * paths.
   */
  readonly resume?: boolean;
  /**
   * Child processes that divide and sort, each with an equal share of `memory`: their number, if
   * all sort on the CPU, or a list that describes each. Default: none, so this process does it.
   * Input, output and `tmp` must be paths of this machine, and `unique` and `sorter` are not
   * allowed.
   */
  readonly processes?: number | readonly SortProcess[];
  /** The sorter for the parts. Default: the call makes one and closes it at the end. */
  readonly sorter?: Pick<Sorter, 'sort' | 'argsort' | 'gather'>;
  /** An abort rejects with its reason. The output is then as it was, and nothing is left. */
  readonly signal?: AbortSignal;
  /** Called while bytes are read and written. An error that it throws ends the sort. */
  readonly onProgress?: (progress: FileProgress) => void;
  /** Called once, when the output is in place. */
  readonly onReport?: (report: FileReport) => void;
}

/** Options of `checkFile`: exactly one of `type` and `record`. */
export interface CheckFileOptions
  extends Pick<SortFileOptions, 'type' | 'record' | 'order' | 'storage'> {
  /** An abort rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** The result of `checkFile`. */
export interface FileCheck {
  /** How many there are. */
  readonly records: number;
  /** The first record that belongs before its predecessor, or −1. */
  readonly misplaced: number;
  /** How many records have the same key as their predecessor. */
  readonly repeats: number;
  /** The sum of the CRC-32 of every record: it is the same in any order. */
  readonly checksum: bigint;
}
