/** What a caller of `sortFile` gives, and gets to know. */

import type { KeyType, Order, Sorter } from 'keysweep';
import type { Storage } from './storage/storage.js';

/** A part of a record to sort by: some bytes, in the order of bytes, or a number. */
export type RecordKey =
  | {
      /** Its first byte in the record. */
      readonly at: number;
      readonly bytes: number;
      /** Default: that of the call, which is 'ascending'. */
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
/** One or several, or bytes as they come, such as standard input. */
export type SortInput = FileInput | readonly FileInput[] | AsyncIterable<Uint8Array>;
/** One, or what takes the bytes, such as standard output. */
export type SortOutput = FileInput | ByteSink;

/** What a sort of a file is at, in bytes: of the input, or of a part that is partitioned again. */
export interface FileProgress {
  /** 'spool' copies an input that comes piece by piece; the others read it. */
  readonly phase: 'spool' | 'sample' | 'partition' | 'sort';
  /** Bytes that are done. */
  readonly completed: number;
  /** Bytes of all; undefined while the end of the input is not known. */
  readonly total: number | undefined;
}

/** A child process of a sort. */
export interface SortProcess {
  /**
   * The GPU that it sorts on, counted from 0, which is then the only one that it finds. Without it
   * the process sorts on the CPU.
   */
  readonly gpu?: number;
  /** Threads of the CPU that it sorts by. Default: an equal share of those of the machine. */
  readonly threads?: number;
}

/** What a child process did. */
export interface ProcessReport {
  /** Its number, as the system has it. */
  readonly pid: number;
  /** The GPU that it had for itself, counted from 0; absent where it had none. */
  readonly gpu?: number;
  /** The threads of the CPU that it had; absent where it had a GPU. */
  readonly threads?: number;
  /** Parts that it sorted. */
  readonly parts: number;
  /** Bytes that it read, of the input and of parts. */
  readonly bytesRead: number;
  /** Bytes that it wrote, to parts and to the output. */
  readonly bytesWritten: number;
  /** For so long it had something to do. */
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
   * Threads that divided files: of this process, itself among them, or of all child processes. 1
   * where nothing was divided, and of each process where the package's files are not beside it, as
   * in a bundle: that takes several times as long.
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
  /** The child processes; none where this process sorted. */
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
  /** Of a file of bare little-endian numbers. */
  readonly type?: KeyType;
  /** Of a file of records of a fixed size. */
  readonly record?: RecordLayout;
  /** Bytes that buffers and parts may take together, from 65,536 on. Default: half of the free. */
  readonly memory?: number;
  /** Default 'ascending'. Of records it is the order of keys that have none of their own. */
  readonly order?: Order;
  /** Whether of equal keys only the first is kept: of records the first in the input. */
  readonly unique?: boolean;
  /**
   * A folder for temporary files, a path or an address. Default: that of the output where it is a
   * path, else the system's.
   */
  readonly tmp?: string | URL;
  /** What addresses other than `file:` are: `s3Storage()` of `@keysweep/external/s3`. */
  readonly storage?: Storage;
  /** Whether to go on where a killed process stopped the same sort. Needs paths but for inputs. */
  readonly resume?: boolean;
  /**
   * Child processes that divide and sort, each with its share of `memory`: how many of the CPU, or
   * what each one is. Default: none, this process does it. They need paths of this machine for the
   * input, the output and `tmp`; they are not for `unique`, and not for a `sorter`.
   */
  readonly processes?: number | readonly SortProcess[];
  /** What sorts the parts. Default: a sorter of its own, closed at the end. */
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

/** What a file holds. */
export interface FileCheck {
  /** How many there are. */
  readonly records: number;
  /** The first record that belongs before the one in front of it, or −1. */
  readonly misplaced: number;
  /** Records whose key is that of the one in front of them. */
  readonly repeats: number;
  /** The sum of the CRC-32 of every record: it is the same in any order. */
  readonly checksum: bigint;
}
