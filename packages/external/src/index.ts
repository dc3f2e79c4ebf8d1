/**
 * @keysweep/external: sorts what does not fit into memory.
 *
 * ```ts
 * import { sortFile } from '@keysweep/external';
 * await sortFile('ids.u64', 'sorted.u64', { type: 'u64', memory: 512e6 });
 * ```
 */

export { checkFile } from './check-file.js';
export { ExternalError } from './error.js';
export type {
  ByteSink,
  CheckFileOptions,
  FileCheck,
  FileInput,
  FileProgress,
  FileReport,
  ProcessReport,
  RecordKey,
  RecordLayout,
  SortFileOptions,
  SortInput,
  SortOutput,
  SortProcess,
} from './options.js';
export { childFlags } from './run/processes/flags.js';
export { aloneWithGpu, type CommandLine } from './run/processes/gpu.js';
export { type ProcessSorter, processSorter } from './run/processes/sorter.js';
export { sortFile } from './sort-file.js';
export { removeTemporaries } from './storage/live.js';
