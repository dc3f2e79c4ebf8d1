/**
 * The program of a child process of a sort: divides stretches and sorts parts, as it is told. It
 * makes no temporary file of its own, so it may be killed at any time. It ends with its parent.
 */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { carve, makeRoom } from '../../divide/memory-plan.js';
import type { Part } from '../../divide/part.js';
import type { DividingRun } from '../../divide/partition.js';
import { Splitters } from '../../divide/splitters.js';
import { ExternalError, explained } from '../../error.js';
import { KeyWords } from '../../open/key-words.js';
import type { Run } from '../../open/run.js';
import { openFiles } from '../../open/source.js';
import { sortPart } from '../../sort/sort-part.js';
import { BlockFile } from '../../storage/block-file.js';
import { reach, takeNames } from '../../storage/live.js';
import { localStorage } from '../../storage/local.js';
import { isPastCache } from '../../storage/names.js';
import type { StoredStream } from '../../storage/storage.js';
import { writePart } from '../../write/write-part.js';
import { Dividers } from '../threads/divide.js';
import {
  AT_ONCE,
  type DivideTask,
  type Done,
  type Order,
  type Reply,
  type Setup,
  type SortTask,
} from './messages.js';
import { processSorter } from './sorter.js';

/** A message to a parent that has gone is no error: this process ends, too. */
const say = (reply: Reply): void => void process.send?.(reply, () => {});

function fail(error: unknown): void {
  const { message, stack } = error as Error;
  const isPlain = error instanceof ExternalError;
  say({ kind: 'failed', message: isPlain ? message : (stack ?? message), isPlain });
}

/** Does one thing after the other. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const own = this.#last.then(work);
    this.#last = own.catch(() => {});
    return own;
  }
}

/** What does the tasks. */
class TaskRunner {
  readonly #setup: Setup;
  readonly #sorter: Promise<Run['sorter']>;
  readonly #dividers: Dividers;
  readonly #room;
  readonly #free: Uint8Array[];
  readonly #pieces: readonly [Uint8Array, Uint8Array];
  readonly #columns: Uint8Array;
  readonly #sorting = new Turns();
  readonly #writing = new Turns();

  /**
   * Stretches are divided while the sorter is made ready. A GPU's keeps this thread busy: others
   * divide.
   */
  constructor(setup: Setup, sorter: Promise<Run['sorter']>) {
    const { memoryPlan } = setup;
    const { partBytes, pieceBytes, columnsBytes, alignment } = memoryPlan;
    this.#setup = setup;
    this.#sorter = sorter;
    const isOnGpu = setup.process.gpu !== undefined;
    this.#dividers = new Dividers(memoryPlan, setup.dividers, isOnGpu);
    this.#room = makeRoom(memoryPlan);
    const take = carve(this.#room.buffer, alignment);
    // Parts lie where chunks lie while a stretch is divided.
    this.#free = Array.from({ length: AT_ONCE }, () => take(partBytes + alignment));
    this.#pieces = [take(pieceBytes + alignment), take(pieceBytes + alignment)];
    this.#columns = take(columnsBytes);
  }

  async perform({ id, task }: Order): Promise<Done> {
    const run = this.#newRun();
    if (task.kind === 'sort') {
      await this.#sort(run, task);
      return { id, parts: [], threads: 0, ...run.count };
    }
    const parts = await this.#divide(run, task);
    return { id, parts, threads: this.#dividers.threads, ...run.count };
  }

  #newRun(): DividingRun {
    const { layout } = this.#setup;
    let told = 0;
    return {
      storage: localStorage,
      layout,
      keyWords: new KeyWords(layout),
      count: { read: 0, written: 0 },
      tell(_, completed) {
        say({ kind: 'told', bytes: completed - told });
        told = completed;
      },
    };
  }

  async #divide(
    run: DividingRun,
    { paths, from, end, splitters, folder }: DivideTask,
  ): Promise<readonly Part[]> {
    const source = await openFiles(run, paths);
    try {
      // Each part is read of files alone.
      const stretch = { from, end, mayStay: false };
      const divided = new Splitters(splitters);
      return await this.#dividers.divide(run, source, divided, this.#room, folder, stretch);
    } finally {
      await source.close();
    }
  }

  /** Parts are read beside each other; they are sorted and written one after the other. */
  async #sort(dividing: DividingRun, { paths, size, output, at }: SortTask): Promise<void> {
    const run = sortingRun(dividing, await this.#sorter);
    const { layout, memoryPlan } = this.#setup;
    const offset = at % memoryPlan.alignment;
    // Numbers are read to where they are written from, where that is free to choose.
    const isInPlace = layout.numbers !== undefined && !paths.some(isPastCache);
    const start = isInPlace ? offset : 0;
    const slot = this.#free.pop() as Uint8Array;
    try {
      const records = slot.subarray(start, start + size);
      // The output is open before it is wanted: a sort leaves the event loop few turns.
      const sink = await openAt(output, at);
      try {
        const source = await openFiles(run, paths);
        await source.read(records, 0).finally(() => source.close());
        const sorted = await this.#sorting.take(() =>
          sortPart(run, records, this.#columns, undefined),
        );
        await this.#writing.take(() =>
          writePart(run, sorted, offset, { sink, memoryPlan, pieces: this.#pieces }),
        );
      } finally {
        await sink.close();
      }
    } finally {
      this.#free.push(slot);
    }
  }
}

/** What a sort of a part needs. */
const sortingRun = (run: DividingRun, sorter: Run['sorter']): Run => ({
  ...run,
  sorter,
  unique: false,
  signal: undefined,
  milliseconds: { spool: 0, sample: 0, partition: 0, sort: 0 },
});

/** Opens a file that is there, to write to it from a place on. */
async function openAt(path: string, from: number): Promise<Omit<StoredStream, 'abort'>> {
  const tell = <T>(work: () => Promise<T>): Promise<T> => explained(`cannot write '${path}'`, work);
  const file = await tell(
    async () => new BlockFile(await open(reach(path), constants.O_WRONLY), 'write', true),
  );
  let at = from;
  return {
    write: (bytes) =>
      tell(async () => {
        const written = await file.move(bytes, at);
        at += written;
        if (written < bytes.length) throw new Error('the system stopped writing');
      }),
    close: () => tell(() => file.close()),
  };
}

process.once('disconnect', () => process.exit());
let runner: TaskRunner | undefined;
process.on('message', (message: Setup | Order) => {
  if ('task' in message) {
    runner?.perform(message).then((done) => say({ kind: 'done', done }), fail);
    return;
  }
  takeNames(message.names);
  const sorter = processSorter(message.process);
  sorter.catch(fail);
  try {
    runner = new TaskRunner(message, sorter);
  } catch (error) {
    fail(error);
  }
});
