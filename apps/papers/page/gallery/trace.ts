/** A sort as steps: its plan is done by the kernels' twins, on buffers that tell of each access. */

import {
  type Algorithm,
  constantsOf,
  type Dispatch,
  KEYS,
  type Shape,
  VALUES,
} from '@keysweep/papers';
import { memoryOf, runTwin } from '@keysweep/papers/twins';
import { type EntryNotes, type Note, notesOf } from './notes.js';

/** A word of a buffer. */
export interface Access {
  readonly buffer: string;
  readonly at: number;
}

/** The words of a buffer; those that nothing has been written to yet are undefined. */
export type Words = readonly (number | undefined)[];

/** What is to be seen at once. */
export interface Step {
  /** What runs; undefined in the input and in the result. */
  readonly dispatch: Dispatch | undefined;
  readonly note: Note;
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
  /** All buffers after the step. */
  readonly memory: ReadonlyMap<string, Words>;
}

/** Keys with values that say where each key was. */
const originsOf = (keys: Uint32Array): Uint32Array => keys.map((_, i) => i);

/**
 * All steps of a sort of `keys`, from the input to the result. A kernel's first step shows that it
 * begins. Each other one has some reads, and the writes that follow them.
 */
export function stepsOf(algorithm: Algorithm, keys: Uint32Array, shape: Shape): Step[] {
  const hasValues = algorithm.isForPairs === true;
  const plan = algorithm.plan(keys.length, hasValues, shape);
  const words = memoryOf(plan, keys, hasValues ? originsOf(keys) : undefined);
  const recorder = new Recorder(words);
  recorder.say({ line: '', says: 'The input.' });
  for (const dispatch of plan.dispatches) {
    recorder.begin(dispatch, notesOf(dispatch));
    runTwin(dispatch, recorder.watched, constantsOf(shape));
    recorder.end();
  }
  for (const [name, place] of [
    [KEYS, plan.result.keys],
    [VALUES, plan.result.values],
  ] as const) {
    const sorted = words.get(place);
    if (sorted !== undefined) words.get(name)?.set(sorted);
  }
  recorder.say({ line: '', says: 'Sorted.' });
  return recorder.steps;
}

/** Makes steps of accesses. */
class Recorder {
  readonly steps: Step[] = [];
  /** The buffers, for twins: each read and each write is told. */
  readonly watched: ReadonlyMap<string, Uint32Array>;
  readonly #words: ReadonlyMap<string, Uint32Array>;
  /** Whether something was written to a word. */
  readonly #written: ReadonlyMap<string, boolean[]>;
  #dispatch: Dispatch | undefined;
  #notes: EntryNotes | undefined;
  #reads: Access[] = [];
  #writes: Access[] = [];

  constructor(words: ReadonlyMap<string, Uint32Array>) {
    this.#words = words;
    const isInput = (name: string): boolean => name === KEYS || name === VALUES;
    this.#written = new Map(
      Array.from(words, ([name, { length }]) => [
        name,
        new Array<boolean>(length).fill(isInput(name)),
      ]),
    );
    this.watched = new Map(Array.from(words, ([name, all]) => [name, this.#watch(name, all)]));
  }

  /** A step in which nothing runs. */
  say(note: Note): void {
    this.#dispatch = undefined;
    this.#add(note, [], []);
  }

  begin(dispatch: Dispatch, notes: EntryNotes): void {
    this.#dispatch = dispatch;
    this.#notes = notes;
    this.#add({ line: notes.start, says: notes.says }, [], []);
  }

  end(): void {
    this.#finish();
  }

  #watch(name: string, words: Uint32Array): Uint32Array {
    const access = (at: string | symbol): Access | undefined =>
      typeof at === 'string' && /^\d+$/.test(at) ? { buffer: name, at: Number(at) } : undefined;
    return new Proxy(words, {
      get: (_, property) => {
        const read = access(property);
        if (read !== undefined) {
          // What is read after a write belongs to the next step.
          if (this.#writes.length > 0 && this.#notes?.isOneStep !== true) this.#finish();
          this.#reads.push(read);
        }
        return Reflect.get(words, property, words);
      },
      set: (_, property, value) => {
        const write = access(property);
        if (write !== undefined) {
          this.#writes.push(write);
          (this.#written.get(name) as boolean[])[write.at] = true;
        }
        return Reflect.set(words, property, value, words);
      },
    });
  }

  /** Makes a step, or two, of the accesses so far. */
  #finish(): void {
    const [reads, writes] = [this.#reads, this.#writes];
    const notes = this.#notes as EntryNotes;
    this.#reads = [];
    this.#writes = [];
    const before = this.steps.at(-1)?.memory;
    if (notes.reads !== undefined && reads.length > 0) this.#add(notes.reads, reads, [], before);
    const [first] = writes;
    if (first === undefined) return;
    const { buffers } = this.#dispatch as Dispatch;
    const [variable = ''] = Object.entries(buffers).find(([, name]) => name === first.buffer) ?? [];
    const note = notes.writes[variable];
    if (note === undefined) throw new Error(`there is no note on writes to ${variable}`);
    this.#add(note, reads, writes);
  }

  #add(
    note: Note,
    reads: readonly Access[],
    writes: readonly Access[],
    memory: Step['memory'] = this.#snapshot(),
  ): void {
    this.steps.push({ dispatch: this.#dispatch, note, reads, writes, memory });
  }

  #snapshot(): Step['memory'] {
    return new Map(
      Array.from(this.#words, ([name, words]) => {
        const written = this.#written.get(name) as boolean[];
        return [name, Array.from(words, (word, i) => (written[i] ? word : undefined))];
      }),
    );
  }
}
