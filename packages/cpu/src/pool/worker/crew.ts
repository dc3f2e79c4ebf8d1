/**
 * A crew: threads of Node that sleep on words of shared memory between their tasks. A message to a
 * thread takes its sender up to 50 microseconds, and waking a thread takes 20. Here one that wakes
 * first wakes two others: the calling thread wakes two, and it takes them all four steps of about
 * 50 microseconds to wake 16.
 */

import { setImmediate, setTimeout } from 'node:timers';
import type { CpuKernels } from '@keysweep/kernels/cpu';
import { linkKernels } from '../../sort/arena.js';
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

/** The memory that a crew of `threads` threads shares, the calling thread not counted. */
export function crewBuffer(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(4 * LINE * (threads + 1) + 2 * MAX_CHARACTERS);
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

  get task(): Task {
    const length = Atomics.load(this.words, CHARACTERS);
    return JSON.parse(String.fromCharCode(...this.#characters.subarray(0, length)));
  }

  set task(task: Task) {
    const text = JSON.stringify(task);
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
  #number = 0;

  constructor(buffer: SharedArrayBuffer) {
    this.#crew = new Crew(buffer);
  }

  /** Has the first `count` threads do a task. Only once those before have ended theirs. */
  send(task: Task, count: number): void {
    const crew = this.#crew;
    crew.task = task;
    Atomics.store(crew.words, WANTED, count);
    Atomics.store(crew.words, BUSY, count);
    crew.wake(0, ++this.#number);
  }

  /** Resolves when all have done their task. Says nothing of a thread that dies. */
  async ended(): Promise<readonly []> {
    for (let turns = 0; Atomics.load(this.#crew.words, BUSY) > 0; turns++) {
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
  readonly crew: SharedArrayBuffer;
}

/**
 * Resolves once every thread of a crew has called it. Then this thread is in its own hands: it does
 * the crew's tasks, and never comes back to its event loop. What a task throws ends the thread.
 */
export async function joinCrew({ module, memory, crew: buffer }: CrewSetup): Promise<void> {
  const crew = new Crew(buffer);
  const kernels = linkKernels(module, memory);
  const thread = 1 + Atomics.add(crew.words, NUMBERED, 1);
  // A thread that went ahead might be taken for one with time for another thread's first call.
  while (Atomics.load(crew.words, NUMBERED) < crew.threads) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  // Once its answer is on its way.
  setImmediate(() => attend(crew, thread, kernels, memory));
}

function attend(
  crew: Crew,
  thread: number,
  kernels: CpuKernels,
  memory: WebAssembly.Memory,
): never {
  const { words } = crew;
  let seen = 0;
  for (;;) {
    Atomics.wait(words, crew.wordOf(thread), seen);
    const number = Atomics.load(words, crew.wordOf(thread));
    if (number === seen) continue;
    seen = number;
    crew.wake(thread, number);
    doTask(crew.task, thread - 1, kernels, memory);
    Atomics.sub(words, BUSY, 1);
  }
}
