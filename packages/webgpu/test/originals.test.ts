/**
 * Results that are written piece by piece over the caller's arrays, whose originals the buffers of
 * the upload keep. As in a page; pieces of 1 KiB, so that short arrays take many.
 */

import { ARRAY_CLASSES, classNamed, fillSpecial, sample } from '@keysweep/conformance/data';
import {
  assertSorted,
  assertUntouched,
  isTouched,
  makeRequest,
  type Pairs,
  randomPairs,
  rejection,
  type Variation,
} from '@keysweep/conformance/suite';
import './software-gpu.js';
import { verifyAll } from '@keysweep/conformance';
import {
  type Backend,
  BackendFailedError,
  type KeyArray,
  type SortRequest,
  type TypedArray,
} from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { MapMode } from '../src/device/usage.js';
import { sortPairs, sortsWell } from './failure-checks.js';
import { type Hooks, hookedAdapters } from './hooked-adapters.js';
import type { WatchedAdapters } from './watched-adapters.js';

const MEMORY = {
  pieceBytes: 1024,
  stagedFrom: 1024,
  uploadBuffers: 2,
  readbackBuffers: 1,
  keepsOriginals: true,
} as const;

/** Words of a piece. */
const PIECE = MEMORY.pieceBytes / 4;

/** 32-bit words that go in seven pieces. */
const SEVERAL = 6 * PIECE + 10;

const random = testRandom();

let adapters: WatchedAdapters;
let backend: Backend;

const NO_HOOKS: Hooks = { onMapped: () => {}, onRead: () => {} };
const hooks: Hooks = { ...NO_HOOKS };

beforeAll(() => {
  adapters = hookedAdapters(hooks, 'shared');
  backend = webgpu({ requestAdapter: adapters.requestAdapter, memory: MEMORY });
});

afterEach(async () => {
  Object.assign(hooks, NO_HOOKS);
  await adapters.assertClean();
});

afterAll(() => backend.close());

/** Calls `act` once, when a piece is mapped and one before it was written. */
function halfWay(isWritten: () => boolean, act: () => void): { readonly wasThere: boolean } {
  const state = { wasThere: false };
  hooks.onMapped = (_, mode) => {
    if (mode !== MapMode.READ || state.wasThere || !isWritten()) return;
    state.wasThere = true;
    act();
  };
  return state;
}

const gone = (): never => {
  throw new Error('the GPU is gone');
};

const filled = (name: string, length = SEVERAL): KeyArray => {
  const keys = classNamed(name).create(length);
  fillSpecial(keys, random);
  return keys;
};

const bytesOf = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

/** Expects that `request` fails half way, and that every bit of its arrays is as it was. */
async function isPutBack(request: SortRequest): Promise<void> {
  const arrays = [...request.columns, ...(request.values ? [request.values] : [])];
  const before = arrays.map(bytesOf);
  const now = (): boolean[] =>
    arrays.map((array, i) => Buffer.compare(bytesOf(array), before[i] as Uint8Array) === 0);
  const half = halfWay(() => now().includes(false), gone);
  expect(await rejection(backend.sort(request))).toBeInstanceOf(BackendFailedError);
  expect(half.wasThere).toBe(true);
  expect(now()).not.toContain(false);
}

describe('originals that are kept', () => {
  it.each(sample(ARRAY_CLASSES, 4))(
    '$name: sorted, or put back',
    async ({ name, create, bytes }) => {
      await verifyAll(backend, filled(name), [filled('Uint16Array'), filled('Float64Array')]);
      const size = bytes * (SEVERAL + 3);
      const buffers = [
        new SharedArrayBuffer(size),
        new ArrayBuffer(size, { maxByteLength: 2 * size }),
      ];
      for (const buffer of buffers) {
        const keys = create(buffer as ArrayBuffer, 3 * bytes, SEVERAL);
        fillSpecial(keys, random);
        await isPutBack(makeRequest('sort', [keys]));
      }
    },
  );

  const segments = Uint32Array.from({ length: 2 * PIECE }, (_, i) => 2 * i);
  const CALLS: readonly (readonly [string, () => SortRequest])[] = [
    ['descending', () => makeRequest('sort', [filled('Int8Array')], { order: 'descending' })],
    [
      'key bits',
      () => makeRequest('sort', [filled('Uint16Array')], { keyBits: { begin: 3, end: 14 } }),
    ],
    ['segments', () => makeRequest('sort', [filled('Uint32Array')], { segments })],
    ['approximate', () => makeRequest('sort', [filled('Float32Array')], { approximate: true })],
    ...['Uint8Array', 'Float32Array', 'BigInt64Array'].map(
      (name) =>
        [
          `pairs with a ${name}`,
          () => makeRequest('sortPairs', [filled('Int16Array')], { values: filled(name) }),
        ] as const,
    ),
    // Of these keys alone are in pieces: values come when all is there.
    [
      'pairs with few bytes of values',
      () =>
        makeRequest('sortPairs', [filled('Float64Array', PIECE - 1)], {
          values: filled('Int8Array', PIECE - 1),
        }),
    ],
  ];

  it.each(CALLS)('%s: put back where the GPU fails half way', async (_, request) => {
    await isPutBack(request());
  });

  it('of an argsort into `out`: as they were where the GPU fails before all is there', async () => {
    const request = makeRequest('argsort', [filled('Uint32Array')]);
    const out = new Uint32Array(SEVERAL).fill(7);
    let read = 0;
    hooks.onMapped = (_, mode) => {
      if (mode === MapMode.READ && ++read === 5) gone();
    };
    const error = await rejection(backend.sort({ ...request, out }));
    expect(error).toBeInstanceOf(BackendFailedError);
    expect(out.every((row) => row === 7)).toBe(true);
  });

  it('of pairs: put back where only the values are still to come', async () => {
    const pairs = randomPairs(SEVERAL, random);
    const { keys, values, keysBefore, valuesBefore } = pairs;
    const areKeysDone = (): boolean =>
      keys.at(-1) === Math.max(...keysBefore) && values[0] !== valuesBefore[0];
    const half = halfWay(areKeysDone, gone);
    expect(await rejection(sortPairs(backend, pairs))).toBeInstanceOf(BackendFailedError);
    expect([half.wasThere, keys.length]).toEqual([true, SEVERAL]);
    assertUntouched('a sort that failed', pairs);
  });

  const variation = ({ values }: Pairs, { signal }: AbortController): Variation => ({
    values,
    signal,
  });

  it('are back when an abort has been heard, and the sort ends there', async () => {
    const pairs = randomPairs(SEVERAL, random);
    const [abort, reason] = [new AbortController(), new Error('enough')];
    let isBack = false;
    const half = halfWay(
      () => isTouched(pairs),
      () => {
        abort.abort(reason);
        isBack = !isTouched(pairs);
      },
    );
    const sorting = backend.sort(makeRequest('sortPairs', [pairs.keys], variation(pairs, abort)));
    expect(await rejection(sorting)).toBe(reason);
    expect([half.wasThere, isBack]).toEqual([true, true]);
    // What was under way has come to its end by then.
    await sortsWell(backend, randomPairs(SEVERAL, random));
    assertUntouched('a sort that was aborted', pairs);
  });

  it('stay away once all is written: an abort comes too late', async () => {
    const [abort, pairs] = [new AbortController(), randomPairs(SEVERAL, random)];
    let read = 0;
    hooks.onRead = () => {
      // All but the last piece are unmapped for the next one, and the last when all is done.
      if (++read === 14) abort.abort(new Error('too late'));
    };
    await backend.sort(makeRequest('sortPairs', [pairs.keys], variation(pairs, abort)));
    expect(abort.signal.aborted).toBe(true);
    assertSorted('pairs', pairs);
  });

  it('are lost if their array was taken away, and put back into the other array', async () => {
    const pairs = randomPairs(SEVERAL, random);
    const { values } = pairs;
    const half = halfWay(
      () => isTouched(pairs),
      () => structuredClone(values.buffer, { transfer: [values.buffer as ArrayBuffer] }),
    );
    const error = await rejection(sortPairs(backend, pairs));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('values was detached');
    expect(half.wasThere).toBe(true);
    assertUntouched('a sort whose values were detached', pairs);
  });

  it.each([PIECE - 5, 0, 9 * PIECE])(
    'of a resized array (%i) are put back as far as it goes',
    async (now) => {
      const buffer = new ArrayBuffer(4 * SEVERAL, { maxByteLength: 40 * PIECE });
      const keys = new Uint32Array(buffer);
      fillSpecial(keys, random);
      const before = keys.slice();
      const half = halfWay(
        () => keys.some((key, i) => key !== before[i]),
        () => buffer.resize(4 * now),
      );
      const error = await rejection(backend.sort(makeRequest('sort', [keys])));
      expect(String(error)).toMatch(/TypeError: keys was (resized|detached)/);
      expect(half.wasThere).toBe(true);
      const there = Math.min(now, SEVERAL);
      expect(keys.slice(0, there)).toEqual(before.slice(0, there));
    },
  );

  it('take a buffer a piece, and results one, which takes turns; all are used again', async () => {
    await backend.release();
    const pairs = (): Pairs => randomPairs(SEVERAL, random);
    await sortsWell(backend, pairs());
    const { calls, liveBuffers } = adapters.latest();
    const count = (label: string): number =>
      liveBuffers().filter((buffer) => buffer.label === label && buffer.size === MEMORY.pieceBytes)
        .length;
    expect(count('keysweep upload')).toBe(14);
    expect(count('keysweep readback')).toBe(MEMORY.readbackBuffers);
    const { createBuffer } = calls;
    await sortsWell(backend, pairs());
    expect(calls.createBuffer).toBe(createBuffer);
    await backend.release();
    expect(liveBuffers().map(({ label }) => label)).toEqual(['keysweep numbers']);
  });
});
