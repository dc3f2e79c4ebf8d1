/** Checks of what happens when a sort is aborted, or loses an array, before it is done. */

import type { Backend, CancelSignal, Progress } from '@keysweep/core';
import type { Random } from '@keysweep/core/random';
import { type Check, some } from '../check.js';
import { randomKeys } from '../data/distributions.js';
import {
  assertSorted,
  assertUntouched,
  isTouched,
  type Pairs,
  randomPairs,
  rejection,
} from '../request/pairs.js';
import { makeRequest } from '../request/request.js';
import { verifyAll } from '../request/verify.js';

const REASON = new Error('the caller aborted');

/** An AbortController's signal that counts its listeners. */
class CountingSignal implements CancelSignal {
  readonly #controller = new AbortController();
  readonly #listeners = new Set<() => void>();

  get aborted(): boolean {
    return this.#controller.signal.aborted;
  }

  get reason(): unknown {
    return this.#controller.signal.reason;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  abort(): void {
    this.#controller.abort(REASON);
  }

  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void {
    this.#listeners.add(listener);
    this.#controller.signal.addEventListener(type, listener, options);
  }

  removeEventListener(type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
    this.#controller.signal.removeEventListener(type, listener);
  }
}

const sortPairs = (
  backend: Backend,
  { keys, values }: Pairs,
  signal?: CancelSignal,
  onProgress?: (progress: Progress) => void,
): Promise<unknown> =>
  rejection(backend.sort(makeRequest('sortPairs', [keys], { values, signal, onProgress })));

function assertAborted(what: string, pairs: Pairs, reason: unknown): void {
  if (reason !== REASON) throw new Error(`${what} gave ${reason} instead of the signal's reason`);
  assertUntouched(what, pairs);
}

const abortedBeforeCheck: Check = {
  name: 'rejects with the reason when aborted before; arrays stay as they were',
  async run(subject) {
    const { backend, random, lengths } = subject;
    const signal = new CountingSignal();
    signal.abort();
    for (const length of [0, 1, 10, 3000, ...some(subject, lengths, 1)]) {
      const pairs = randomPairs(length, random);
      assertAborted(
        `sortPairs(${length}), aborted`,
        pairs,
        await sortPairs(backend, pairs, signal),
      );
      const argsort = backend.sort(makeRequest('argsort', [pairs.keys], { signal }));
      assertAborted(`argsort(${length}), aborted`, pairs, await rejection(argsort));
    }
  },
};

/** When the caller aborts. */
const LATER: readonly { readonly when: string; readonly schedule: (act: () => void) => void }[] = [
  { when: 'in a microtask', schedule: queueMicrotask },
  { when: 'in a task', schedule: (act) => setTimeout(act, 0) },
  { when: 'in 3 ms', schedule: (act) => setTimeout(act, 3) },
];

const abortedMeanwhileCheck: Check = {
  name: 'rejects with the reason when aborted meanwhile, unless done; arrays stay as they were',
  async run(subject) {
    const { backend, random, lengths } = subject;
    for (const length of [10, 3000, ...some(subject, lengths, 1)]) {
      const pairs = randomPairs(length, random);
      const signal = new CountingSignal();
      const sorting = sortPairs(backend, pairs, signal);
      // A backend that has written nothing when it returns must not write after this abort.
      const isDone = isTouched(pairs);
      signal.abort();
      const reason = await sorting;
      if (!isDone) assertAborted(`sortPairs(${length}), aborted at once`, pairs, reason);

      for (const { when, schedule } of LATER) {
        const others = randomPairs(length, random);
        const later = new CountingSignal();
        schedule(() => later.abort());
        const what = `sortPairs(${length}), aborted ${when}`;
        const laterReason = await sortPairs(backend, others, later);
        if (laterReason === undefined) assertSorted(what, others);
        else assertAborted(what, others, laterReason);
      }
    }
  },
};

const abortedInPhaseCheck: Check = {
  name: 'rejects with the reason when aborted from onProgress, unless done; in every phase',
  async run(subject) {
    const { backend, random, lengths } = subject;
    for (const length of [3000, ...some(subject, lengths, 1)]) {
      const seen = new Set<string>();
      await sortPairs(backend, randomPairs(length, random), undefined, ({ phase }) => {
        seen.add(phase);
      });
      for (const aborted of seen) {
        const pairs = randomPairs(length, random);
        const signal = new CountingSignal();
        // Once results are being written, the request is finished.
        let isWritten = false;
        const reason = await sortPairs(backend, pairs, signal, ({ phase }) => {
          if (phase !== aborted || signal.aborted) return;
          isWritten = isTouched(pairs);
          signal.abort();
        });
        const what = `sortPairs(${length}), aborted in the phase '${aborted}'`;
        if (signal.aborted && !isWritten) assertAborted(what, pairs, reason);
        else assertSorted(what, pairs);
        if (signal.listeners > 0) throw new Error(`${what} left ${signal.listeners} listeners`);
      }
    }
  },
};

const listenersCheck: Check = {
  name: 'leaves no listener on a signal that does not abort',
  async run(subject) {
    const { backend, random, lengths } = subject;
    const signal = new CountingSignal();
    for (const length of [10, 3000, ...some(subject, lengths, 1)]) {
      await sortPairs(backend, randomPairs(length, random), signal);
      if (signal.listeners > 0) {
        throw new Error(`${signal.listeners} listeners are left after ${length} keys`);
      }
    }
  },
};

/** A way to take an array away from a sort: `create` makes one, and `take` changes it. */
interface Taking {
  readonly name: string;
  readonly create: (length: number) => Uint32Array;
  readonly take: (array: Uint32Array) => void;
}

const resizable = (length: number): Uint32Array =>
  new Uint32Array(new ArrayBuffer(4 * length, { maxByteLength: 8 * length }));

const TAKINGS: readonly Taking[] = [
  {
    name: 'detached',
    create: (length) => new Uint32Array(length),
    take: ({ buffer }) => {
      structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
    },
  },
  {
    name: 'shrunk',
    create: resizable,
    take: ({ buffer }) => (buffer as ArrayBuffer).resize(buffer.byteLength - 4),
  },
  {
    name: 'grown',
    create: resizable,
    take: ({ buffer }) => (buffer as ArrayBuffer).resize(buffer.byteLength + 4),
  },
];

const SHARED_TAKING: Taking = {
  name: 'shared and grown',
  create: (length) =>
    new Uint32Array(new SharedArrayBuffer(4 * length, { maxByteLength: 8 * length })),
  take: ({ buffer }) => (buffer as SharedArrayBuffer).grow(buffer.byteLength + 4),
};

const takenAwayCheck: Check = {
  name: 'rejects with a TypeError when an array is detached or resized meanwhile; writes nothing',
  async run(subject) {
    const { backend, random, lengths } = subject;
    const takings =
      typeof SharedArrayBuffer === 'undefined' ? TAKINGS : [...TAKINGS, SHARED_TAKING];
    for (const length of [3000, ...some(subject, lengths, 1)]) {
      for (const taking of takings) {
        await checkTaken(backend, random, length, taking, 'keys');
        await checkTaken(backend, random, length, taking, 'values');
      }
      await verifyAll(backend, randomKeys(length, random), [randomKeys(length, random)]);
    }
  },
};

async function checkTaken(
  backend: Backend,
  random: Random,
  length: number,
  { name, create, take }: Taking,
  taken: 'keys' | 'values',
): Promise<void> {
  const array = create(length);
  const pairs: Pairs = { ...randomPairs(length, random), [taken]: array };
  array.set(taken === 'keys' ? pairs.keysBefore : pairs.valuesBefore);
  const sorting = sortPairs(backend, pairs);
  // A backend that served the request before it returned could not know.
  const isDone = isTouched(pairs);
  if (!isDone) take(array);
  const error = await sorting;
  if (isDone) return;
  const what = `${length} pairs whose ${taken} were ${name}`;
  if (!(error instanceof TypeError)) throw new Error(`${what} gave ${error} and no TypeError`);
  assertUntouched(what, pairs);
}

/** The checks of sorts that are cut short. */
export const INTERRUPTION_CHECKS: readonly Check[] = [
  abortedBeforeCheck,
  abortedMeanwhileCheck,
  abortedInPhaseCheck,
  listenersCheck,
  takenAwayCheck,
];
