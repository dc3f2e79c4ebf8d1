/** Arrays that are transferred in pieces: of 1 KiB here, so that short arrays take many. */

import {
  ARRAY_CLASSES,
  classNamed,
  fillSpecial,
  randomKeys,
  sample,
} from '@keysweep/conformance/data';
import {
  assertSorted,
  assertUntouched,
  makeRequest,
  randomPairs,
  rejection,
  type Variation,
} from '@keysweep/conformance/suite';
import './software-gpu.js';
import { verifyAll, verifyArgsort } from '@keysweep/conformance';
import { type Backend, BackendFailedError, type SortRequest } from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';
import { MapMode } from '../src/device/usage.js';
import { failsByLoss, sortPairs, sortsWell } from './failure-checks.js';
import { type Hooks, hookedAdapters } from './hooked-adapters.js';
import type { WatchedAdapters } from './watched-adapters.js';
import type { WatchedDevice } from './watched-device.js';

drawTests(1 / 2);

const MEMORY = {
  pieceBytes: 1024,
  stagedFrom: 1024,
  uploadBuffers: 3,
  readbackBuffers: 3,
} as const;

/** Words of a piece. */
const PIECE = MEMORY.pieceBytes / 4;

/** Keys, or values, that go in five pieces. */
const SEVERAL = 4 * PIECE + 10;

const random = testRandom();

let adapters: WatchedAdapters;
let backend: Backend;

const NO_HOOKS: Hooks = { onMapped: () => {}, onRead: () => {} };
const hooks: Hooks = { ...NO_HOOKS };

/** Opens `backend`, with shared devices or with its own: see watchedAdapters. */
function open(kind: 'shared' | 'own'): void {
  adapters = hookedAdapters(hooks, kind);
  backend = webgpu({ requestAdapter: adapters.requestAdapter, memory: MEMORY });
}

beforeAll(() => open('shared'));

afterEach(async () => {
  Object.assign(hooks, NO_HOOKS);
  await adapters.assertClean();
});

afterAll(() => backend.close());

const labelled = (label: string): number =>
  adapters
    .latest()
    .liveBuffers()
    .filter((buffer) => buffer.label === label).length;

/** Calls `act` when the `nth` buffer has been mapped in `mode`. */
function atMapping(mode: number, nth: number, act: (watched: WatchedDevice) => void): void {
  let mapped = 0;
  hooks.onMapped = (watched, given) => {
    if (given === mode && ++mapped === nth) act(watched);
  };
}

describe('arrays in pieces', () => {
  it.each([1, 2, 4])('lengths around %i pieces', async (pieces) => {
    for (const more of [-1, 0, 1]) {
      const length = pieces * PIECE + more;
      const payloads = ['Uint8Array', 'Uint32Array'].map((name) => classNamed(name).create(length));
      for (const payload of payloads) fillSpecial(payload, random);
      await verifyAll(backend, randomKeys(length, random), payloads);
    }
  });

  it('more pieces than buffers take turns, several times over', async () => {
    await verifyAll(backend, randomKeys(20 * PIECE + 5, random), [
      randomKeys(20 * PIECE + 5, random),
    ]);
  });

  it.each(sample(ARRAY_CLASSES, 5))(
    '$name, on ordinary, shared and resizable memory',
    async ({ create, bytes }) => {
      const size = bytes * (SEVERAL + 3);
      const buffers = [
        new ArrayBuffer(size),
        new SharedArrayBuffer(size),
        new ArrayBuffer(size, { maxByteLength: 2 * size }),
      ];
      for (const buffer of buffers) {
        const keys = create(buffer as ArrayBuffer, 3 * bytes, SEVERAL);
        fillSpecial(keys, random);
        const expected = keys.slice().sort();
        await backend.sort(makeRequest('sort', [keys]));
        expect(keys.slice()).toEqual(expected);
      }
    },
  );

  it('columns, segments and an approximate sort', async () => {
    const columns = ['Uint8Array', 'Float64Array', 'Uint32Array'].map((name) => {
      const column = classNamed(name).create(SEVERAL);
      fillSpecial(column, random);
      return column;
    });
    await verifyArgsort(backend, columns);
    const segments = Uint32Array.from({ length: 2 * PIECE }, (_, i) => 2 * i);
    await verifyAll(backend, columns[2]!, [], { segments });
    const floats = Float32Array.from({ length: SEVERAL }, () => random.below(1e6));
    await verifyAll(backend, floats, [], { approximate: true });
  });
});

describe('buffers for pieces', () => {
  it('are few, and used again', async () => {
    await sortsWell(backend, randomPairs(20 * PIECE, random));
    const { calls } = adapters.latest();
    expect(labelled('keysweep upload')).toBe(MEMORY.uploadBuffers);
    const { createBuffer, writeBuffer } = calls;
    await sortsWell(backend, randomPairs(20 * PIECE, random));
    expect([calls.createBuffer, calls.writeBuffer]).toEqual([createBuffer, writeBuffer]);
    await backend.release();
    expect(labelled('keysweep upload') + labelled('keysweep readback')).toBe(0);
    await sortsWell(backend, randomPairs(SEVERAL, random));
  });

  it('are not used for small arrays, which are written and submitted once', async () => {
    await backend.release();
    const { calls } = adapters.latest();
    const { submit, writeBuffer } = calls;
    await sortsWell(backend, randomPairs(PIECE - 1, random));
    expect([calls.submit - submit, calls.writeBuffer - writeBuffer]).toEqual([1, 2]);
    expect(labelled('keysweep upload')).toBe(0);
  });

  it('are given back when the backend is closed', async () => {
    const closed = webgpu({ requestAdapter: adapters.requestAdapter, memory: MEMORY });
    await sortsWell(closed, randomPairs(SEVERAL, random));
    await closed.close();
    const left = adapters.latest().leftBehind();
    expect(left.map(({ label }) => label)).toEqual(['keysweep numbers']);
  });

  const LABELS = ['keysweep upload', 'keysweep readback'];

  /** A device with nothing in its pool, for a sort in pieces that halves what goes at a time. */
  async function fresh(work: (watched: WatchedDevice) => Promise<void>): Promise<void> {
    const own = webgpu({ requestAdapter: adapters.requestAdapter, memory: MEMORY });
    await sortsWell(own, randomPairs(100, random));
    await own.release();
    const opened = adapters.devices.length;
    const shared = backend;
    backend = own;
    await work(adapters.latest()).finally(() => {
      backend = shared;
    });
    expect(adapters.devices.length).toBe(opened);
    await own.close();
  }

  it.each(LABELS)('of which one has no memory (%s): parts, merged', async (label) => {
    for (const nth of [1, 3]) {
      await fresh(async ({ failBuffers }) => {
        let made = 0;
        failBuffers((descriptor) => descriptor.label === label && ++made === nth);
        await sortsWell(backend, randomPairs(4 * SEVERAL, random));
        expect(made).toBeGreaterThan(nth);
      });
    }
  });

  it('for which the host has no memory: parts, merged', async () => {
    await fresh(async ({ device }) => {
      const create = device.createBuffer.bind(device);
      let refused = false;
      device.createBuffer = (descriptor) => {
        if (!descriptor.mappedAtCreation || refused) return create(descriptor);
        refused = true;
        throw new RangeError('too large to be mapped');
      };
      await sortsWell(backend, randomPairs(4 * SEVERAL, random));
      expect(refused).toBe(true);
    });
  });
});

describe('between two pieces', () => {
  const { READ, WRITE } = MapMode;

  const PLACES = [
    ['upload', WRITE, 1],
    ['upload', WRITE, 3],
    ['readback', READ, 1],
    ['readback', READ, 4],
  ] as const;

  describe('the device is lost', () => {
    beforeAll(async () => {
      await backend.close();
      open('own');
    });

    afterAll(async () => {
      await backend.close();
      open('shared');
    });

    it.each(sample(PLACES, 2))(
      'of one %s (%i, %i): rejection, arrays as they were',
      async (_, mode, nth) => {
        const pairs = randomPairs(2 * SEVERAL, random);
        atMapping(mode, nth, ({ device }) => device.destroy());
        await failsByLoss(sortPairs(backend, pairs), pairs, 'destroyed');
        expect(adapters.latest().liveBuffers()).toEqual([]);
        await sortsWell(backend, randomPairs(2 * SEVERAL, random));
      },
    );
  });

  it.each([
    ['upload', WRITE, 1],
    ['readback', READ, 1],
    ['readback', READ, 4],
  ] as const)('of one %s (%i, %i) the caller aborts: arrays as they were', async (_, mode, nth) => {
    const pairs = randomPairs(2 * SEVERAL, random);
    const [abort, reason] = [new AbortController(), new Error('enough')];
    atMapping(mode, nth, () => abort.abort(reason));
    const variation: Variation = { values: pairs.values, signal: abort.signal };
    expect(await rejection(backend.sort(makeRequest('sortPairs', [pairs.keys], variation)))).toBe(
      reason,
    );
    // What was under way has come to its end by then.
    await sortsWell(backend, randomPairs(SEVERAL, random));
    assertUntouched('a sort that was aborted', pairs);
  });

  it.each([
    ['upload', WRITE, 1],
    ['readback', READ, 4],
  ] as const)(
    'of one %s (%i, %i) an array is taken away: TypeError, the other as it was',
    async (_, mode, nth) => {
      await sortsWell(backend);
      const opened = adapters.devices.length;
      const pairs = randomPairs(2 * SEVERAL, random);
      atMapping(mode, nth, () => {
        structuredClone(pairs.values.buffer, { transfer: [pairs.values.buffer as ArrayBuffer] });
      });
      const error = await rejection(sortPairs(backend, pairs));
      expect(error).toBeInstanceOf(TypeError);
      expect(error).not.toBeInstanceOf(BackendFailedError);
      expect(String(error)).toContain('values was detached');
      assertUntouched('a sort whose values were detached', pairs);
      expect(adapters.devices.length).toBe(opened);
      await sortsWell(backend, randomPairs(SEVERAL, random));
    },
  );

  it('of a readback that has begun the caller aborts: arrays as they were', async () => {
    const pairs = randomPairs(2 * SEVERAL, random);
    const [abort, reason] = [new AbortController(), new Error('enough')];
    const request = makeRequest('sortPairs', [pairs.keys], {
      values: pairs.values,
      signal: abort.signal,
      // Not within the callback, after which the signal is looked at.
      onProgress: ({ phase }) => {
        if (phase === 'readback') queueMicrotask(() => abort.abort(reason));
      },
    });
    expect(await rejection(backend.sort(request))).toBe(reason);
    await sortsWell(backend, randomPairs(SEVERAL, random));
    assertUntouched('a sort that was aborted', pairs);
  });

  it('of an upload an abort ends it there', async () => {
    const pairs = randomPairs(40 * PIECE, random);
    await sortsWell(backend, randomPairs(100, random));
    const { calls } = adapters.latest();
    const before = calls.submit;
    const abort = new AbortController();
    atMapping(WRITE, 1, () => abort.abort());
    await rejection(
      backend.sort(
        makeRequest('sortPairs', [pairs.keys], { values: pairs.values, signal: abort.signal }),
      ),
    );
    await backend.release();
    expect(calls.submit - before).toBeLessThan(40);
  });
});

describe('results', () => {
  const { READ } = MapMode;
  const { pieceBytes, readbackBuffers } = MEMORY;

  /** Readback buffers of a piece's size. */
  const pieces = (): number =>
    adapters
      .latest()
      .liveBuffers()
      .filter(({ label, size }) => label === 'keysweep readback' && size === pieceBytes).length;

  it('in new memory take few buffers, which take turns', async () => {
    await backend.release();
    await backend.sort(makeRequest('argsort', [randomKeys(20 * PIECE, random)]));
    expect(pieces()).toBe(readbackBuffers);
  });

  it("over the caller's arrays have a buffer a piece, and are not begun before", async () => {
    await backend.release();
    const keys = randomKeys(SEVERAL, random);
    const before = keys.slice();
    const seen: boolean[] = [];
    hooks.onMapped = (_, mode) => {
      if (mode === READ) seen.push(keys.every((key, i) => key === before[i]));
    };
    await backend.sort(makeRequest('sort', [keys]));
    // Four whole pieces and a short one, and the sort's plan.
    expect(pieces()).toBe(4);
    expect(seen.length).toBeGreaterThan(5);
    expect(seen).not.toContain(false);
    expect(keys).toEqual(before.sort());
  });

  it('count once they are written: an abort comes too late', async () => {
    const [abort, pairs] = [new AbortController(), randomPairs(SEVERAL, random)];
    const variation = { values: pairs.values, signal: abort.signal };
    hooks.onRead = () => abort.abort(new Error('too late'));
    await backend.sort(makeRequest('sortPairs', [pairs.keys], variation));
    expect(abort.signal.aborted).toBe(true);
    assertSorted('pairs', pairs);
  });
});

describe('an argsort into out', () => {
  const { READ } = MapMode;

  const request = (keys: Uint32Array, out: Uint32Array, more: object = {}): SortRequest => ({
    ...makeRequest('argsort', [keys]),
    out,
    ...more,
  });

  it('writes there, after what is to be found out meanwhile', async () => {
    const keys = randomKeys(SEVERAL, random);
    const [out, steps] = [new Uint32Array(SEVERAL).fill(7), [] as boolean[]];
    const meanwhile = function* (): Generator<undefined, void> {
      steps.push(out.every((row) => row === 7));
      yield;
      steps.push(out.every((row) => row === 7));
    };
    const { permutation } = await backend.sort(request(keys, out, { meanwhile }));
    expect(permutation).toBe(out);
    expect(steps).toEqual([true, true]);
    expect(out).toEqual(await verifyArgsort(backend, [keys]));
  });

  it('leaves it as it was where that ends the request, or the caller does', async () => {
    const keys = randomKeys(SEVERAL, random);
    const [out, reason] = [new Uint32Array(SEVERAL).fill(7), new Error('not these rows')];
    // biome-ignore lint/correctness/useYield: it ends before the first step
    const meanwhile = function* (): Generator<undefined, void> {
      throw reason;
    };
    expect(await rejection(backend.sort(request(keys, out, { meanwhile })))).toBe(reason);
    const abort = new AbortController();
    atMapping(READ, 4, () => abort.abort(reason));
    const aborted = backend.sort(request(keys, out, { signal: abort.signal }));
    expect(await rejection(aborted)).toBe(reason);
    await sortsWell(backend, randomPairs(SEVERAL, random));
    expect(out.every((row) => row === 7)).toBe(true);
  });

  it('says where that was taken away', async () => {
    const out = new Uint32Array(SEVERAL);
    atMapping(READ, 4, () => structuredClone(out.buffer, { transfer: [out.buffer] }));
    const error = await rejection(backend.sort(request(randomKeys(SEVERAL, random), out)));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('out was detached');
  });
});
