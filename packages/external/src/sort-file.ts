/**
 * `sortFile`: sample → splitters → partition → sort each part, and write it after the one before.
 */

import { basename } from 'node:path';
import type { Sorter } from 'keysweep';
import { allDone } from './all-done.js';
import { type MemoryPlan, planMemory } from './divide/memory-plan.js';
import type { Parts } from './divide/partition.js';
import { checkSort, type Plan } from './open/check.js';
import { newRun, type Run, timed } from './open/run.js';
import { openFiles, type Source } from './open/source.js';
import { spool } from './open/spool.js';
import type { ByteSink, FileReport, SortFileOptions, SortInput, SortOutput } from './options.js';
import type { Executor, Partitioned } from './run/executor.js';
import { InProcess } from './run/in-process.js';
import { ProcessPool } from './run/processes/pool.js';
import { isAddress } from './storage/address.js';
import { areCached } from './storage/block-file.js';
import { storageByName } from './storage/by-name.js';
import { partsIn } from './storage/names.js';
import type { Storage, StoredOutput } from './storage/storage.js';
import { removeLeftovers } from './storage/temporary.js';
import { assertSpace, Workspace } from './storage/workspace.js';
import { type Done, jobOf, writeDone, writeManifest } from './write/manifest.js';
import type { Written } from './write/notes.js';
import { type Resumed, resume } from './write/resume.js';

/** The share of the memory that holds a stream before it is spooled. */
const HELD = 1 / 8;

/**
 * Sorts a file of any size within `memory`: bare little-endian numbers of one `type`, or `record`s
 * of a fixed size by their keys. Numbers come in the order of `sort`, bytes by their values.
 * Records that tie keep their order.
 *
 * ```ts
 * await sortFile('ids.u64', 'sorted.u64', { type: 'u64', memory: 512e6 });
 * const record = { bytes: 100, keys: [{ at: 0, bytes: 10 }] };
 * await sortFile(['a.bin', 'b.bin'], 'sorted.bin', { record }); // one after the other
 * await sortFile(process.stdin, 'sorted.bin', { record }); // any stream; it is spooled to a file
 * const storage = s3Storage(); // of @keysweep/external/s3
 * await sortFile('s3://bucket/ids', 's3://bucket/sorted', { type: 'u64', storage });
 * ```
 *
 * A file that fits in memory is read, sorted and written once. A larger one is read twice, and
 * written twice at most: first into temporary files of parts, then part by part. If all records of
 * a block belong to one part, the block stays in the input and is read from there, so the input
 * must not change meanwhile. Files of over some 40 times the memory are partitioned twice.
 * Temporary files take as much space in the folder `tmp` as the input, and the output takes as much
 * again if it is on another device.
 *
 * The output file appears when it is whole, in place of a previous one. It may be an input. A sort
 * that fails or is aborted leaves no file. If the process is killed, temporary files stay: the next
 * sort in that folder removes them, or continues with them if it is the same sort and has `resume`.
 *
 * Buffers and the sorter's backend allocate `memory` bytes at most; the process takes some 100 MB
 * for itself. Up to eight threads partition, if `memory` has 8 MiB for each and the files are on
 * this machine. Everything else is done on the calling thread, in slices of up to some 100 ms,
 * except for what the backends do in threads.
 * @throws TypeError or RangeError, which name the argument; ExternalError, in one line, if a file
 *   cannot be read or written, changes meanwhile or is not a whole number of records, or if there
 *   is not enough space; the reason of `signal`; whatever a callback or the sorter throws. The
 *   output is then as it was, unless `onReport` threw, because it's called when the output is
 *   whole.
 */
export async function sortFile(
  input: SortInput,
  output: SortOutput,
  options: SortFileOptions,
): Promise<void> {
  const plan = checkSort(input, output, options);
  return sortStored(storageByName(options.storage), plan, options);
}

/** Sorts files of any storage by a plan. */
export async function sortStored(
  storage: Storage,
  plan: Plan,
  options: SortFileOptions,
): Promise<void> {
  options.signal?.throwIfAborted();
  const target = typeof plan.output === 'string' ? await storage.output(plan.output) : undefined;
  try {
    await sortInto(storage, plan, options, target);
  } finally {
    // Not before temporary files are removed: that is done in the folder that it holds.
    await target?.close?.();
  }
}

async function sortInto(
  storage: Storage,
  plan: Plan,
  options: SortFileOptions,
  target: StoredOutput | undefined,
): Promise<void> {
  const own = options.sorter === undefined ? await ownSorter() : undefined;
  const workspace = new Workspace(storage, plan.tmp, target);
  try {
    const run = newRun(storage, plan, options, options.sorter ?? (own as Sorter));
    const report = await new FileSort(run, plan, workspace, target).perform();
    options.onReport?.(report);
  } catch (error) {
    // The first error tells why.
    await workspace.remove().catch(() => {});
    throw error;
  } finally {
    await own?.close();
  }
  await workspace.remove();
}

async function ownSorter(): Promise<Sorter> {
  const { createSorter } = await import('keysweep');
  return createSorter();
}

/** Where a sort works. */
interface Prepared {
  /** The folder for parts; undefined if the input fits into memory. */
  readonly folder: string | undefined;
  /** The temporary output; undefined if the output is a sink. */
  readonly temporary: string | undefined;
  /** Identifies this sort for `resume`; undefined if it cannot be resumed. */
  readonly job: string | undefined;
  readonly resumed: Resumed | undefined;
}

/** Parts in files, and how many of them are written already. */
interface Partition extends Partitioned {
  readonly done: Done;
  /** The folder whose manifest is kept up to date, if there is one. */
  readonly noted: string | undefined;
}

const NOTHING: Done = { parts: 0, bytes: 0 };

/** One sort, from the input to the report. */
class FileSort {
  readonly #started = performance.now();
  readonly #run: Run;
  readonly #plan: Plan;
  readonly #workspace: Workspace;
  readonly #target: StoredOutput | undefined;

  constructor(run: Run, plan: Plan, workspace: Workspace, target: StoredOutput | undefined) {
    this.#run = run;
    this.#plan = plan;
    this.#workspace = workspace;
    this.#target = target;
  }

  async perform(): Promise<FileReport> {
    const source = await this.#open();
    try {
      const { layout, keyWords, storage } = this.#run;
      const streamBytes = await storage.streamBytes(this.#workspace.tmp);
      const { memory, processes } = this.#plan;
      const share = Math.floor(memory / Math.max(1, processes.length));
      const memoryPlan = planMemory(share, source.size, layout, keyWords.count, streamBytes);
      const prepared = await this.#prepare(source, memoryPlan);
      const executor =
        processes.length === 0
          ? new InProcess(this.#run, memoryPlan)
          : await ProcessPool.start(this.#run, processes, memoryPlan, source.size, [
              ...(prepared.folder === undefined ? [] : [prepared.folder]),
              prepared.temporary as string,
            ]);
      try {
        const partition = await this.#partition(source, executor, prepared);
        const written = await timed(this.#run, 'sort', () =>
          this.#write(source, partition, executor, prepared),
        );
        return this.#report(source.size, written, partition, executor.reports);
      } finally {
        await executor.close();
      }
    } finally {
      await source.close();
    }
  }

  #open(): Promise<Source> {
    const { input, memory, processes } = this.#plan;
    if ('length' in input) return openFiles(this.#run, input);
    // Child processes cannot read the memory of this one.
    const held = processes.length === 0 ? memory * HELD : 0;
    return timed(this.#run, 'spool', () =>
      spool(this.#run, input, held, () => this.#workspace.folder()),
    );
  }

  /** Makes room for temporary files, or takes those of a process that was killed. */
  async #prepare(source: Source, memoryPlan: MemoryPlan): Promise<Prepared> {
    const { input, resume: mayResume, processes } = this.#plan;
    const target = this.#target;
    const isPartitioned = source.size > memoryPlan.partBytes;
    const isLocal = ![this.#workspace.tmp, target?.path ?? ''].some(isAddress);
    const job =
      'length' in input && target !== undefined && isLocal
        ? jobOf(this.#run, target.path, input, source.versions)
        : undefined;
    const { storage } = this.#run;
    const resumed =
      mayResume && isPartitioned
        ? await resume(this.#run, {
            workspace: this.#workspace,
            target: target as StoredOutput,
            source,
            job: job as string,
            memoryPlan,
            isForChildren: processes.length > 0,
          })
        : undefined;
    for (const place of this.#workspace.places) await removeLeftovers(place, storage);
    if (target !== undefined) await removeLeftovers(target.folder, storage);
    if (resumed !== undefined) return { ...resumed, job, resumed };
    const folder = isPartitioned ? await this.#workspace.folder() : undefined;
    await this.#assertSpace(source.size, memoryPlan, isPartitioned);
    const temporary = await this.#newTemporary(source.size);
    return { folder, temporary, job, resumed };
  }

  /** Divides the input into parts; resolves to undefined if it fits into memory. */
  async #partition(
    source: Source,
    executor: Executor,
    { folder, temporary, job, resumed }: Prepared,
  ): Promise<Partition | undefined> {
    if (folder === undefined) return undefined;
    if (resumed !== undefined) {
      const { manifest, done } = resumed;
      await this.#noteParts(folder, manifest, manifest.job, resumed.temporary);
      return { ...manifest, done, noted: folder, threads: 1 };
    }
    const parts = await executor.partition(source, partsIn(folder, areCached(source.size)));
    if (job === undefined || temporary === undefined) {
      return { ...parts, done: NOTHING, noted: undefined };
    }
    await writeDone(this.#run, folder, NOTHING);
    await this.#noteParts(folder, parts, job, temporary);
    return { ...parts, done: NOTHING, noted: folder };
  }

  /** Notes the parts, and the file that they go to. */
  async #noteParts(
    folder: string,
    { parts, levels, imbalance, sample }: Parts,
    job: string,
    temporary: string,
  ): Promise<void> {
    const identity = this.#target?.identityOf?.(temporary);
    if (identity === undefined) return;
    const file = { name: basename(temporary), identity };
    const noted = { parts, levels, imbalance, sample, job, temporary: file };
    await writeManifest(this.#run, folder, noted);
  }

  /** An empty file beside the output; undefined if the output is a sink. */
  async #newTemporary(most: number): Promise<string | undefined> {
    if (this.#target === undefined) return undefined;
    const temporary = this.#workspace.temporaryIn(this.#target.folder);
    await this.#target.create(temporary, most);
    return temporary;
  }

  #assertSpace(size: number, { partBytes }: MemoryPlan, isPartitioned: boolean): Promise<void> {
    const beside = this.#target && { folder: this.#target.folder, bytes: size };
    const parts = isPartitioned ? [{ folder: this.#workspace.tmp, bytes: size }] : [];
    const needs = [...parts, ...(beside ? [beside] : [])];
    // A part is removed once it is written; with processes, once those before it are, too.
    const behind = this.#plan.processes.length === 0 ? 6 * partBytes : size;
    return assertSpace(this.#run.storage, needs, size + (isPartitioned ? behind : 0));
  }

  /** Sorts and writes all parts that are not written yet. Resolves to the bytes of the output. */
  async #write(
    source: Source,
    partition: Partition | undefined,
    executor: Executor,
    { temporary }: Prepared,
  ): Promise<number> {
    const { done = NOTHING } = partition ?? {};
    let { bytes } = done;
    const left = partition?.parts.slice(done.parts);
    let first = done.parts;
    const note = async (written: Written): Promise<void> => {
      bytes = done.bytes + written.bytes;
      if (partition === undefined) return;
      const now = { parts: done.parts + written.parts, bytes };
      await this.#note(partition, first, now);
      first = now.parts;
    };
    const output = temporary ?? (this.#plan.output as ByteSink);
    await executor.sort(source, left, output, bytes, note);
    if (temporary !== undefined) await this.#target?.commit(temporary);
    return bytes;
  }

  /** Notes how far the output is written, and removes the parts in it, beginning with `first`. */
  async #note({ parts, noted }: Partition, first: number, done: Done): Promise<void> {
    if (noted !== undefined) await writeDone(this.#run, noted, done);
    const written = parts.slice(first, done.parts);
    await allDone(
      written.flatMap(({ paths }) => paths.map((path) => this.#run.storage.remove(path))),
    );
  }

  #report(
    bytes: number,
    outputBytes: number,
    partition: Partition | undefined,
    processes: FileReport['processes'],
  ): FileReport {
    const { milliseconds, count } = this.#run;
    return {
      bytes,
      outputBytes,
      memory: this.#plan.memory,
      parts: partition?.parts.length ?? 1,
      threads: partition?.threads ?? 1,
      passes: 1 + (partition?.levels ?? 0),
      imbalance: partition?.imbalance ?? 1,
      bytesRead: count.read,
      bytesWritten: count.written,
      partsResumed: partition?.done.parts ?? 0,
      processes,
      milliseconds: { ...milliseconds, total: performance.now() - this.#started },
    };
  }
}
