/**
 * A crew: threads of Node that sleep on words of shared memory between their tasks. A message to a
 * thread takes its sender up to 50 microseconds, and waking a thread takes 20. Here one that wakes
 * first wakes two others: the calling thread wakes two, and it takes them all four steps of about
 * 50 microseconds to wake 16.
 */

import { setImmediate, setTimeout } from 'node:timers';
import { BroadcastChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { TypedArray } from '@keysweep/core';
import type { CpuKernels } from '@keysweep/kernels/cpu';
import { linkKernels } from '../../arena/arena.js';
import { NONE_SHARED, type SharedArrays } from '../../sort/job-context.js';
import { promptCollector } from '../idle-release.js';
import { doTask, type Task, type WorkerSetup } from '../task.js';

/** How many threads a thread wakes. */
const FAN_OUT = 2;

// Words of a crew. A word a thread follows them, each in a cache line of its own: the number of the
// last task that the thread is to do. Behind these, the task as JSON, two bytes a character.
/** Threads that have a number. */
const NUMBERED = 0;
/** Threads that are at work on the task, or have yet to wake. */
const BUSY = 1;
/** Threads that do the task. */
const WANTED = 2;
/** Characters of the task. */
const CHARACTERS = 3;
const LINE = 16;

/** Most characters of a task: a job's description has some 900. */
const MAX_CHARACTERS = 4096;

/** Turns of the event loop without a pause while threads are about to end their task. */
const TURNS = 50;

/** What the threads of a crew share. */
export interface CrewLink {
  readonly buffer: SharedArrayBuffer;
  /** The name of the channel by which they get arrays. */
  readonly channel: string;
}

/** The memory that a crew of `threads` threads shares, the calling thread not counted. */
export function linkCrew(threads: number): CrewLink {
  const buffer = new SharedArrayBuffer(4 * LINE * (threads + 1) + 2 * MAX_CHARACTERS);
  // The global one: to import the module takes 5 ms, for which the first sort would wait.
  return { buffer, channel: `keysweep-${crypto.randomUUID()}` };
}

/** A task, and how the threads get the arrays for it. */
interface CrewTask {
  readonly task: Task;
  /** The number of the message that brings the arrays; 0 where there are none. */
  readonly message: number;
}

interface ArraysMessage {
  readonly number: number;
  readonly arrays: SharedArrays;
}

/** The memory of arrays. */
const buffersOf = ({ staged, results }: SharedArrays): Set<ArrayBufferLike> =>
  new Set([...staged, ...results].map(({ buffer }) => buffer));

/** What tells an array that was sent from others, without holding its memory. */
interface Note {
  readonly memory: WeakRef<ArrayBufferLike>;
  readonly byteOffset: number;
  readonly length: number;
  readonly type: unknown;
}

const noteOf = (array: TypedArray): Note => {
  const { buffer, byteOffset, length } = array;
  return { memory: new WeakRef(buffer), byteOffset, length, type: array.constructor };
};

/** Whether these are the arrays that were noted. */
function areNoted(notes: readonly Note[], arrays: readonly TypedArray[]): boolean {
  const isNoted = (array: TypedArray, i: number): boolean => {
    const note = notes[i] as Note;
    return (
      note.memory.deref() === array.buffer &&
      note.byteOffset === array.byteOffset &&
      note.length === array.length &&
      note.type === array.constructor
    );
  };
  return notes.length === arrays.length && arrays.every(isNoted);
}

class Crew {
  readonly words: Int32Array;
  readonly #characters: Uint16Array;
  readonly threads: number;

  constructor(buffer: SharedArrayBuffer) {
    const at = buffer.byteLength - 2 * MAX_CHARACTERS;
    this.words = new Int32Array(buffer, 0, at / 4);
    this.#characters = new Uint16Array(buffer, at);
    this.threads = this.words.length / LINE - 1;
  }

  /** The word of a thread, of which the calling one is number 0. */
  wordOf(thread: number): number {
    return LINE * thread;
  }

  get task(): CrewTask {
    const length = Atomics.load(this.words, CHARACTERS);
    return JSON.parse(String.fromCharCode(...this.#characters.subarray(0, length)));
  }

  set task(task: CrewTask) {
    const text = JSON.stringify(task);
    if (text.length > MAX_CHARACTERS) {
      throw new RangeError(`a task has ${text.length} characters, over ${MAX_CHARACTERS}`);
    }
    for (let i = 0; i < text.length; i++) this.#characters[i] = text.charCodeAt(i);
    Atomics.store(this.words, CHARACTERS, text.length);
  }

  /** Wakes the threads that `thread` is to wake for task number `number`. */
  wake(thread: number, number: number): void {
    const wanted = Atomics.load(this.words, WANTED);
    for (let i = 1; i <= FAN_OUT; i++) {
      const other = FAN_OUT * thread + i;
      if (other > wanted) return;
      Atomics.store(this.words, this.wordOf(other), number);
      Atomics.notify(this.words, this.wordOf(other));
    }
  }
}

/** The calling thread's side of a crew. */
export class CrewLeader {
  readonly #crew: Crew;
  readonly #channel: BroadcastChannel;
  #tasks = 0;
  /** The last message, whose arrays the threads keep: often the same are sorted again. */
  #sent: Readonly<Record<keyof SharedArrays, readonly Note[]>> = { staged: [], results: [] };
  #messages = 0;
  #isClosed = false;

  constructor({ buffer, channel }: CrewLink) {
    this.#crew = new Crew(buffer);
    this.#channel = new BroadcastChannel(channel);
    this.#channel.unref();
  }

  /** Leaves the crew, which is at its end: nobody waits any longer for its threads. */
  close(): void {
    this.#isClosed = true;
    this.#channel.close();
  }

  /**
   * Has the first `count` threads do a task, and hands them arrays; those only where all threads do
   * it, for the others would keep them. Only once the tasks before have ended.
   */
  send(task: Task, count: number, arrays: SharedArrays = NONE_SHARED): void {
    const crew = this.#crew;
    const { staged, results } = arrays;
    const areArrays = staged.length + results.length > 0;
    const sent = this.#sent;
    if (areArrays && !(areNoted(sent.staged, staged) && areNoted(sent.results, results))) {
      this.#sent = { staged: staged.map(noteOf), results: results.map(noteOf) };
      this.#messages++;
      this.#channel.postMessage({ number: this.#messages, arrays } satisfies ArraysMessage);
    }
    crew.task = { task, message: areArrays ? this.#messages : 0 };
    Atomics.store(crew.words, WANTED, count);
    Atomics.store(crew.words, BUSY, count);
    crew.wake(0, ++this.#tasks);
  }

  /**
   * Resolves when all have done their task. Says nothing of a thread that dies: then it resolves
   * once the crew is left.
   */
  async ended(): Promise<readonly []> {
    const { words } = this.#crew;
    for (let turns = 0; !this.#isClosed && Atomics.load(words, BUSY) > 0; turns++) {
      await new Promise((resolve) => {
        if (turns < TURNS) setImmediate(resolve);
        else setTimeout(resolve, 1);
      });
    }
    return [];
  }
}

/** What a thread of a crew gets when it starts. */
export interface CrewSetup extends WorkerSetup {
  readonly crew: CrewLink;
}

/**
 * Resolves once every thread of a crew has called it. Then this thread is in its own hands: it does
 * the crew's tasks, and never comes back to its event loop. What a task throws ends the thread.
 */
export async function joinCrew({ module, memory, crew: link }: CrewSetup): Promise<void> {
  const crew = new Crew(link.buffer);
  const channel = new BroadcastChannel(link.channel);
  const kernels = linkKernels(module, memory);
  const thread = 1 + Atomics.add(crew.words, NUMBERED, 1);
  // A thread that went ahead might be taken for one with time for another thread's first call.
  while (Atomics.load(crew.words, NUMBERED) < crew.threads) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  // Once its answer is on its way.
  setImmediate(() => attend(crew, channel, thread, kernels, memory));
}

function attend(
  crew: Crew,
  channel: BroadcastChannel,
  thread: number,
  kernels: CpuKernels,
  memory: WebAssembly.Memory,
): never {
  const { words } = crew;
  let seen = 0;
  let held: ArraysMessage = { number: 0, arrays: NONE_SHARED };
  /** Bytes of shared memory that were let go, of which the collector has not been told. */
  let dropped = 0;
  for (;;) {
    Atomics.wait(words, crew.wordOf(thread), seen);
    const number = Atomics.load(words, crew.wordOf(thread));
    if (number === seen) continue;
    seen = number;
    crew.wake(thread, number);
    const { task, message } = crew.task;
    if (message !== 0 && message !== held.number) {
      for (const { byteLength } of buffersOf(held.arrays)) dropped += byteLength;
      held = receive(channel, message);
    }
    doTask(task, thread - 1, kernels, memory, message === 0 ? NONE_SHARED : held.arrays);
    Atomics.sub(words, BUSY, 1);
    // This thread does little else, and would keep them.
    if (promptCollector(dropped)) dropped = 0;
  }
}

/** Message number `number`, which is there already. */
function receive(channel: BroadcastChannel, number: number): ArraysMessage {
  for (;;) {
    const { message } = receiveMessageOnPort(channel as never) as { message: ArraysMessage };
    if (message.number === number) return message;
  }
}
