/** Threads for tests, on the calling thread: what they are told and answer are messages. */

import { bytesSource, performTask, type Threads, type ThreadTask } from '../src/index.js';

/** As threads are: each task and each result is a message. */
export function threadsOver(file: Uint8Array): Threads & { readonly done: ThreadTask['kind'][] } {
  const source = bytesSource("'in'", new Uint8Array(file));
  const done: ThreadTask['kind'][] = [];
  return {
    count: 2,
    done,
    async run(task) {
      const result = await performTask(structuredClone(task), source);
      done.push(task.kind);
      const moved =
        result !== undefined && 'pieces' in result ? result.pieces.map(({ buffer }) => buffer) : [];
      return structuredClone(result, { transfer: [...new Set(moved)] });
    },
  };
}

/** Threads that fail, every one or every other time. */
export function failing(file: Uint8Array, every: number): Threads & { asked: number } {
  const { run } = threadsOver(file);
  return {
    count: 2,
    asked: 0,
    run(task) {
      this.asked++;
      return this.asked % every === 0 ? Promise.reject(new Error('it has ended')) : run(task);
    },
  };
}
