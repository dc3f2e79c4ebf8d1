/** Checks of how a backend behaves: memory it was lent, aborts, arrays taken away, its end. */

import { type Backend, ClosedError, copyOf, type Progress, type TypedArray } from '@keysweep/core';
import { ARRAY_CLASSES, type ArrayClass, assertSameBits } from './arrays.js';
import type { Check, Subject } from './checks.js';
import { DISTRIBUTIONS, type Distribution } from './distributions.js';
import type { Random } from './random.js';
import { makeRequest } from './request.js';
import { serve, verifyAll } from './verify.js';

const fill = (array: TypedArray, random: Random): void =>
  (DISTRIBUTIONS[0] as Distribution).fill(array, random);

function randomKeys(length: number, random: Random): Uint32Array<ArrayBuffer> {
  const keys = new Uint32Array(length);
  fill(keys, random);
  return keys;
}

/** Buffers that a view may lie on; each holds at least `bytes` bytes. */
const BUFFERS: readonly {
  readonly name: string;
  readonly create: (bytes: number) => ArrayBufferLike;
}[] = [
  { name: 'an ArrayBuffer', create: (bytes) => new ArrayBuffer(bytes) },
  {
    name: 'a resizable ArrayBuffer',
    create: (bytes) => new ArrayBuffer(bytes, { maxByteLength: 2 * bytes }),
  },
  ...(typeof SharedArrayBuffer === 'undefined'
    ? []
    : [
        { name: 'a SharedArrayBuffer', create: (bytes: number) => new SharedArrayBuffer(bytes) },
        {
          name: 'a growable SharedArrayBuffer',
          create: (bytes: number) => new SharedArrayBuffer(bytes, { maxByteLength: 2 * bytes }),
        },
      ]),
];

const viewsCheck: Check = {
  name: 'views at odd offsets, on every kind of buffer; the neighbours stay as they are',
  async run({ backend, random, lengths }) {
    for (const { name, create } of BUFFERS) {
      for (const arrayClass of ARRAY_CLASSES) {
        for (const length of [1, 3 + random.below(2000), ...lengths.slice(0, 1)]) {
          await checkView(backend, random, arrayClass, length, name, create);
        }
      }
    }
  },
};

async function checkView(
  backend: Backend,
  random: Random,
  { bytes, create }: ArrayClass,
  length: number,
  name: string,
  createBuffer: (bytes: number) => ArrayBufferLike,
): Promise<void> {
  const buffer = createBuffer((length + 4) * bytes);
  const whole = new Uint8Array(buffer);
  fill(whole, random);
  const before = whole.slice();
  const keys = create(buffer, 3 * bytes, length);
  await verifyAll(backend, keys, [create(buffer, 2 * bytes, length)]);
  // verifyAll works on copies; now in place, keys and payload in one buffer where there is room.
  const expected = copyOf(keys);
  await serve(backend, 'sort', [expected], {});
  await serve(backend, 'sort', [keys], {});
  assertSameBits(`sort of a view on ${name}`, keys, expected);
  const [first, last] = [3 * bytes, (3 + length) * bytes];
  assertSameBits(`in front of a view on ${name}`, whole.slice(0, first), before.slice(0, first));
  assertSameBits(`behind a view on ${name}`, whole.slice(last), before.slice(last));
}

/** Waits for a rejection, and returns what it rejected with; undefined when it resolved. */
async function rejection(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error ?? new Error('rejected with nothing');
  }
}

const abortCheck: Check = {
  name: 'abort: rejects with the reason, arrays as they were',
  async run({ backend, random, lengths }) {
    for (const length of [10, 3000, ...lengths]) {
      await checkAborted(backend, random, length, (controller) => controller.abort(REASON), true);
      for (const later of [queueMicrotask, (act: () => void) => setTimeout(act, 0)]) {
        const abort = (controller: AbortController): void => later(() => controller.abort(REASON));
        await checkAborted(backend, random, length, abort, false);
      }
    }
  },
};

const REASON = new Error('the caller aborted');

/** Aborts a sortPairs; unless it `must` reject it may have been faster. */
async function checkAborted(
  backend: Backend,
  random: Random,
  length: number,
  abort: (controller: AbortController) => void,
  must: boolean,
): Promise<void> {
  const controller = new AbortController();
  const [keys, values] = [randomKeys(length, random), randomKeys(length, random)];
  const [keysBefore, valuesBefore] = [keys.slice(), values.slice()];
  abort(controller);
  const request = makeRequest('sortPairs', [keys], { values, signal: controller.signal });
  const reason = await rejection(backend.sort(request));
  if (reason === undefined && !must) return;
  if (reason !== REASON) throw new Error(`an aborted sort of ${length} keys gave ${reason}`);
  assertSameBits(`keys after an abort (${length})`, keys, keysBefore);
  assertSameBits(`values after an abort (${length})`, values, valuesBefore);
}

const takenAwayCheck: Check = {
  name: 'an array detached or resized meanwhile: TypeError, nothing written',
  async run({ backend, random, lengths }) {
    for (const length of [3000, ...lengths]) {
      const keys = randomKeys(length, random);
      const values = randomKeys(length, random);
      const before = values.slice();
      const sorting = rejection(backend.sort(makeRequest('sortPairs', [keys], { values })));
      const isDone = (): boolean => values.some((value, i) => value !== before[i]);
      // A backend that served the request before it returned could not know.
      if (length > 0 && !isDone()) {
        structuredClone(keys.buffer, { transfer: [keys.buffer] });
        const error = await sorting;
        if (!(error instanceof TypeError)) throw new Error(`detached keys gave ${error}`);
        assertSameBits('values beside detached keys', values, before);
      } else await sorting;
      await checkShrunk(backend, random, length);
    }
  },
};

async function checkShrunk(backend: Backend, random: Random, length: number): Promise<void> {
  const buffer = new ArrayBuffer(4 * length, { maxByteLength: 4 * length });
  const keys = new Uint32Array(buffer);
  fill(keys, random);
  const before = keys.slice();
  const sorting = rejection(backend.sort(makeRequest('sort', [keys])));
  if (keys.every((key, i) => key === before[i])) {
    buffer.resize(4 * (length - 1));
    const error = await sorting;
    if (!(error instanceof TypeError)) throw new Error(`shrunk keys gave ${error}`);
    assertSameBits('shrunk keys', keys, before.subarray(0, length - 1));
  } else await sorting;
}

const concurrencyCheck: Check = {
  name: 'several requests at once do not disturb each other',
  async run({ backend, random, lengths }) {
    const sizes = [10, 3000, 5, 2000, ...lengths, 100, ...lengths];
    await Promise.all(
      sizes.map((length, i) => {
        const arrayClass = ARRAY_CLASSES[i % ARRAY_CLASSES.length] as ArrayClass;
        const keys = arrayClass.create(length);
        fill(keys, random);
        return verifyAll(backend, keys, [randomKeys(length, random)]);
      }),
    );
  },
};

const progressCheck: Check = {
  name: 'progress: within its total, never going back in a phase',
  async run({ backend, random, lengths }) {
    for (const length of [1000, ...lengths]) {
      const seen = new Map<string, number>();
      const onProgress = ({ phase, completed, total }: Progress): void => {
        if (!(completed >= (seen.get(phase) ?? 0) && completed <= total)) {
          throw new Error(`${phase}: ${completed} of ${total} after ${seen.get(phase)}`);
        }
        seen.set(phase, completed);
      };
      await serve(backend, 'sort', [randomKeys(length, random)], { onProgress });
      if (seen.size === 0) throw new Error(`no progress was told of ${length} keys`);
    }
  },
};

const lifeCheck: Check = {
  name: 'probe, warmUp, release, and ClosedError after close',
  async run({ create, random, lengths }: Subject) {
    const backend = create();
    const probe = await backend.probe();
    if (!probe.available) throw new Error(`probe says: ${probe.reason}`);
    if (probe.capabilities.description === '') throw new Error('probe describes nothing');
    const length = Math.max(3000, ...lengths);
    await backend.warmUp(length);
    await backend.warmUp(0);
    await verifyAll(backend, randomKeys(length, random), []);
    await backend.release();
    await backend.release();
    const keys = randomKeys(length, random);
    await verifyAll(backend, keys, []);
    await backend.close();
    await backend.close();
    const error = await rejection(backend.sort(makeRequest('sort', [keys])));
    if (!(error instanceof ClosedError)) throw new Error(`a closed backend gave ${error}`);
  },
};

/** The checks of how a backend behaves. */
export const CONDUCT_CHECKS: readonly Check[] = [
  viewsCheck,
  abortCheck,
  takenAwayCheck,
  concurrencyCheck,
  progressCheck,
  lifeCheck,
];
