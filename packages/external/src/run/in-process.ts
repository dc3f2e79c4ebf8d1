/** This process divides, by threads, and sorts, in memory that it takes once. */

import { availableParallelism } from 'node:os';
import { type MemoryPlan, makeRoom, partsOf, type Room } from '../divide/memory-plan.js';
import { openPart, type Part } from '../divide/part.js';
import { type Divide, partitionSource } from '../divide/partition.js';
import type { Run } from '../open/run.js';
import type { Source } from '../open/source.js';
import type { ByteSink, ProcessReport } from '../options.js';
import { isPastCache } from '../storage/names.js';
import { writeWhole } from '../storage/storage.js';
import type { Written } from '../write/notes.js';
import type { Executor, Partitioned } from './executor.js';
import { type Loadable, sortParts } from './sort-parts.js';
import { Dividers } from './threads/divide.js';

export class InProcess implements Executor {
  readonly memoryPlan: MemoryPlan;
  readonly reports: readonly ProcessReport[] = [];
  readonly #run: Run;
  readonly #room: Room;

  constructor(run: Run, memoryPlan: MemoryPlan) {
    this.#run = run;
    this.memoryPlan = memoryPlan;
    this.#room = makeRoom(memoryPlan);
  }

  async partition(source: Source, path: string): Promise<Partitioned> {
    const { memoryPlan } = this;
    const dividers = new Dividers(memoryPlan, availableParallelism());
    const divide: Divide = (some, splitters, into, mayStay) => {
      const all = { from: 0, end: some.size, mayStay };
      return dividers.divide(this.#run, some, splitters, this.#room, into, all);
    };
    // They start while the sample is read.
    dividers.start([path, ...source.paths], partsOf(source.size, memoryPlan));
    const partition = partitionSource(this.#run, source, memoryPlan, divide, path);
    const parts = await partition.finally(() => dividers.close());
    return { ...parts, threads: dividers.threads };
  }

  async sort(
    source: Source,
    parts: readonly Part[] | undefined,
    output: string | ByteSink,
    position: number,
    note: (written: Written) => Promise<void>,
  ): Promise<void> {
    const loadable = parts?.map((part) => this.#loadable(part, source)) ?? [wholeOf(source)];
    const write = (sink: ByteSink, before?: Uint8Array): Promise<void> =>
      sortParts(this.#run, loadable, this.memoryPlan, this.#room, { sink, position, before, note });
    if (typeof output !== 'string') return write(output);
    const stream = await this.#run.storage.write(output, position);
    await writeWhole([stream], async () => {
      await write(stream, position > 0 ? await this.#lastRecord(output, position) : undefined);
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #loadable(part: Part, source: Source): Loadable {
    return {
      size: part.size,
      isCached: ![...part.paths, ...(part.stays.length > 0 ? source.paths : [])].some(isPastCache),
      load: async (room) => {
        const opened = await openPart(this.#run, part, source);
        try {
          await opened.read(await room, 0);
        } finally {
          await opened.close();
        }
      },
    };
  }

  async #lastRecord(path: string, end: number): Promise<Uint8Array> {
    const file = await this.#run.storage.open(path);
    const record = new Uint8Array(this.#run.layout.width);
    await file.read(record, end - record.length).finally(() => file.close());
    return record;
  }
}

/** All of a source that fits, as one part. */
const wholeOf = (source: Source): Loadable => ({
  size: source.size,
  isCached: !source.paths.some(isPastCache),
  load: async (room) => source.read(await room, 0),
});
