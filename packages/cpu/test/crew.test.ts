/** More threads than two, which wake one another, share all phases, and copy shared memory. */

import { BroadcastChannel } from 'node:worker_threads';
import { randomKeys } from '@keysweep/conformance/data';
import { makeRequest } from '@keysweep/conformance/suite';
import { faultOfOrder } from '@keysweep/conformance/verify';
import type { Backend, SortRequest } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';
import { CrewLeader, linkCrew } from '../src/pool/worker/crew.js';

drawTests(1 / 2);

const THREADS = 5;

/** Copied by all threads where it is on shared memory. */
const LENGTH = 2 ** 20 + 77;

const random = testRandom();

let backend: Backend;

beforeAll(async () => {
  backend = cpu({ threads: THREADS, threadsFrom: 1 });
  await backend.warmUp(LENGTH);
});

afterAll(() => backend.close());

const shared = (length: number): Uint32Array =>
  new Uint32Array(new SharedArrayBuffer(4 * length + 4), 4, length);

/** Random words, most of them the same where `isSkewed`. */
function words(length: number, isSkewed: boolean): Uint32Array {
  const keys = randomKeys(length, random);
  return isSkewed ? keys.map((key) => (key % 8 === 0 ? key : 2 ** 31 + (key % 3))) : keys;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

const isSame = (a: ArrayBufferView, b: ArrayBufferView): boolean => bytesOf(a).equals(bytesOf(b));

describe('five threads', () => {
  it('all take part, unless the machine has no core for one', async () => {
    let most = 0;
    for (let i = 0; i < 100 && most < THREADS; i++) {
      const { threads } = await backend.sort(makeRequest('sort', [words(LENGTH, false)]));
      most = Math.max(most, threads);
    }
    expect(most).toBe(THREADS);
  });

  it.each([
    ['random', false],
    ['skewed', true],
  ])('sort %s keys, whoever scatters which slice', async (_, isSkewed) => {
    for (let i = 0; i < 10; i++) {
      const keys = words(100_000 + 50_000 * (i % 4) + i, isSkewed);
      const expected = keys.slice().sort();
      await backend.sort(makeRequest('sort', [keys]));
      expect(isSame(keys, expected)).toBe(true);
    }
  });

  it('keep ties in order', async () => {
    const keys = words(300_000, true);
    const { permutation = expect.unreachable() } = await backend.sort(
      makeRequest('argsort', [keys]),
    );
    const place = (i: number): number => permutation[i] as number;
    const isBefore = (a: number, b: number): boolean =>
      (keys[a] as number) < (keys[b] as number) || (keys[a] === keys[b] && a < b);
    const inOrder = permutation.every((row, i) => i === 0 || isBefore(place(i - 1), row));
    expect(inOrder).toBe(true);
  });

  it('sort the longest buckets first, and floats of both signs', async () => {
    const keys = new Float32Array(words(LENGTH, false)).map((key) => key / 2 ** 31 - 1);
    const expected = keys.slice().sort();
    await backend.sort(makeRequest('sort', [keys]));
    expect(isSame(keys, expected)).toBe(true);
  });
});

describe('keys on shared memory', () => {
  it.each([LENGTH - 200, LENGTH])('are copied in and out: %i pairs', async (length) => {
    const keys = shared(length);
    const values = shared(length);
    keys.set(words(length, false));
    values.set(keys);
    const expected = keys.slice().sort();
    await backend.sort(makeRequest('sortPairs', [keys], { values }));
    expect(isSame(keys, expected)).toBe(true);
    expect(isSame(values, expected)).toBe(true);
    const { buffer } = keys;
    expect(new Uint32Array(buffer, 0, 1)[0]).toBe(0);
  });

  it('are copied by the calling thread while threads still start', async () => {
    const starting = cpu({ threads: 3 });
    // Long enough for threads to join while they are sorted.
    const keys = shared(2 ** 22);
    keys.set(words(keys.length, false));
    const expected = keys.slice().sort();
    const { warnings } = await starting.sort(makeRequest('sort', [keys]));
    expect(warnings).toBeUndefined();
    expect(isSame(keys, expected)).toBe(true);
    await starting.close();
  });

  it.each([
    ['few values', (key: number) => key % 3],
    ['few large buckets', (key: number) => (key % 8 === 0 ? key : 2 ** 31 + (key % 3))],
    ['sorted', (_: number, i: number) => i],
    ['reversed', (_: number, i: number) => 2 ** 31 - i],
  ])('are sorted, and written by all threads: %s', async (_, make) => {
    const plain = words(LENGTH, false).map(make);
    const keys = onSharedMemory(plain);
    const rows = shared(LENGTH);
    await backend.sort({ ...makeRequest('argsort', [keys]), out: rows });
    expect(faultOfOrder([plain], rows)).toBeUndefined();
    expect(isSame(keys, plain)).toBe(true);
    await backend.sort(makeRequest('sort', [keys]));
    expect(isSame(keys, plain.sort())).toBe(true);
  });

  it('may be the same again, others, or others of the same memory', async () => {
    const [one, other] = [shared(LENGTH + 9), shared(LENGTH)];
    const asFloats = new Float32Array(one.buffer, 4, LENGTH);
    const [long, short] = [one.subarray(9), one.subarray(9, LENGTH)];
    for (const keys of [long, long, other, one.subarray(8), asFloats, short, long, short]) {
      const [plain, before] = [words(keys.length, false).fill(5, 0, 9), one[0]];
      keys.set(plain);
      const expected = keys.slice().sort();
      await backend.sort(makeRequest('sort', [keys]));
      expect(isSame(keys, expected)).toBe(true);
      if (keys !== asFloats && keys !== other) expect(one[0]).toBe(before);
    }
  });

  it('that have 64 bits are copied whole, and so are 64-bit values', async () => {
    const plain = new Float64Array(LENGTH).map(() => random.unit() - 0.5);
    const keys = new Float64Array(new SharedArrayBuffer(8 * LENGTH));
    const values = new BigUint64Array(new SharedArrayBuffer(8 * LENGTH));
    keys.set(plain);
    values.set(new BigUint64Array(plain.buffer));
    await backend.sort(makeRequest('sortPairs', [keys], { values }));
    const expected = plain.slice().sort();
    expect(isSame(keys, expected)).toBe(true);
    expect(Buffer.from(values.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
    keys.set(plain);
    await backend.sort(makeRequest('sort', [keys]));
    expect(isSame(keys, expected)).toBe(true);
  });

  it('are staged, sorted and written in one task', async () => {
    const { milliseconds } = await backend.sort(
      makeRequest('sort', [onSharedMemory(words(LENGTH, false))]),
    );
    expect(Object.keys(milliseconds)).not.toContain('upload');
  });

  it('are handed to threads only if all of them take part', async () => {
    // The others would keep them until the next job that needs arrays.
    const post = vi.spyOn(BroadcastChannel.prototype, 'postMessage');
    onTestFinished(() => post.mockRestore());
    const handed: number[] = [];
    for (const length of [1, 2 ** 15, 2 ** 17, 2 ** 17 + 1, LENGTH]) {
      const keys = onSharedMemory(words(length, false));
      const expected = keys.slice().sort();
      await backend.sort(makeRequest('sort', [keys]));
      expect(isSame(keys, expected)).toBe(true);
      if (post.mock.calls.length > 0) handed.push(length);
      post.mockClear();
    }
    // Each has 2^15 keys at least, so the fifth begins with one key more than four have.
    expect(handed).toEqual([2 ** 17 + 1, LENGTH]);
  });

  it('that are narrow are widened with their sign, and narrowed again', async () => {
    const keys = new Int16Array(new SharedArrayBuffer(2 * LENGTH));
    keys.set(words(LENGTH, false));
    const values = Uint32Array.from(keys);
    const expected = keys.slice().sort();
    await backend.sort(makeRequest('sortPairs', [keys], { values: onSharedMemory(values) }));
    expect(isSame(keys, expected)).toBe(true);
  });

  it('are as they were after an abort while they are copied in', async () => {
    const keys = shared(LENGTH);
    keys.set(words(LENGTH, false));
    const before = keys.slice();
    const abort = new AbortController();
    const sorting = backend.sort(makeRequest('sort', [keys], { signal: abort.signal }));
    queueMicrotask(() => abort.abort(new Error('enough')));
    await expect(sorting).rejects.toThrow('enough');
    expect(isSame(keys, before)).toBe(true);
  });

  it('are committed before they are written', async () => {
    const keys = shared(LENGTH);
    keys.set(words(LENGTH, false));
    const before = keys.slice();
    let isWhole: boolean | undefined;
    const onCommit: SortRequest['onCommit'] = () => {
      isWhole = isSame(keys, before);
    };
    await backend.sort({ ...makeRequest('sort', [keys]), onCommit });
    expect(isWhole).toBe(true);
    expect(isSame(keys, before.sort())).toBe(true);
  });
});

function onSharedMemory(array: Uint32Array): Uint32Array {
  const copy = shared(array.length);
  copy.set(array);
  return copy;
}

it('refuses a task that is too long for the memory that describes it', () => {
  const leader = new CrewLeader(linkCrew(1));
  const task = { pages: { from: 0, to: 0 }, threads: 1, padding: 'x'.repeat(5000) };
  expect(() => leader.send(task, 1)).toThrow(/^a task has 5\d{3} characters, over 4096/);
  leader.close();
});

it('a leader that has left waits no longer for a thread that died', async () => {
  const leader = new CrewLeader(linkCrew(1));
  // Nobody does this task.
  leader.send({ pages: { from: 0, to: 0 }, threads: 1 }, 1);
  let waits = true;
  leader.ended().then(() => {
    waits = false;
  });
  leader.close();
  await vi.waitFor(() => expect(waits).toBe(false), 10_000);
});
