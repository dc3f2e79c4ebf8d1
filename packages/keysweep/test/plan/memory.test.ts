/** The memory that plans reckon with is what backends allocate. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random, randomKeys, runSeed, sample } from '@keysweep/conformance/data';
import {
  type KeyType,
  plainRequest,
  plainShape,
  type RequestShape,
  type SortRequest,
} from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { builtin } from 'keysweep';
import { describe, expect, it, vi } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { maxKeys } from '../../../cpu/dist/arena/layout.js';
import { planRecords } from '../../../cpu/dist/arena/record-plan.js';
import { arenaBytes } from '../../../cpu/dist/pool/calling-thread.js';
import { thisMachine } from '../../dist/machine/machine-node.js';
import { builtInCosts } from '../../dist/plan/built-in-costs.js';
import { modelled } from '../../dist/plan/cost.js';
import { isInParts, MAX_BYTES, memoryFor } from '../../dist/plan/memory.js';
import { planRequest } from '../../dist/plan/plan.js';
import { BackendState } from '../../dist/run/backend-state.js';

const TWO = { threads: 2, pauses: false };
const KEY_TYPES: readonly KeyType[] = ['u8', 'i16', 'f16', 'u32', 'f32', 'i64', 'f64'];
const MIB = 2 ** 20;

/** Shapes of so many rows: every operation, width, payload, and several columns and segments. */
function* shapesOf(length: number): Generator<RequestShape> {
  for (const operation of ['sort', 'sortPairs', 'argsort'] as const) {
    for (const keyType of KEY_TYPES) {
      const plain = plainShape(operation, keyType, length);
      yield plain;
      yield { ...plain, segmentCount: 100_000 };
      if (operation === 'sortPairs') yield { ...plain, valueBytes: 8 };
      if (operation === 'argsort') yield { ...plain, keyTypes: [keyType, 'f64', 'u8'] };
      const keyBits = { begin: 0, end: 5 };
      if (keyType.startsWith('u')) yield { ...plain, keyBits };
    }
  }
}

const nameOf = ({ operation, keyTypes, valueBytes, segmentCount, length }: RequestShape): string =>
  `${operation} of ${length} ${keyTypes.join()}, ${valueBytes} bytes, ${segmentCount} segments`;

const isCounted = ({ operation, keyTypes, segmentCount, keyBits }: RequestShape): boolean =>
  operation === 'sort' && /8|16/.test(`${keyTypes[0]}`) && segmentCount === 1 && !keyBits;

describe('the staging memory of the webgpu backend', () => {
  it.each([
    ['sort', 'u32', 2 ** 26, 512 * MIB],
    ['sort', 'u8', 2 ** 26, 512 * MIB],
    ['sort', 'f64', 2 ** 27, 1536 * MIB],
    ['sortPairs', 'u32', 2 ** 24, 256 * MIB],
    ['argsort', 'u32', 2 ** 27, 1024 * MIB],
  ] as const)('%s of %s: has room for %i', (operation, keyType, length, bytes) => {
    const { kept } = memoryFor('webgpu', plainShape(operation, keyType, length), undefined);
    // Sizes that are powers of two take no more than that; others up to twice as much.
    expect(kept).toBeGreaterThanOrEqual(bytes);
    expect(kept).toBeLessThanOrEqual(2 * bytes);
  });

  it('is no more than what is looked for', () => {
    for (const shape of shapesOf(2_000_000)) {
      const { kept } = memoryFor('webgpu', shape, undefined);
      expect(kept, nameOf(shape)).toBeLessThanOrEqual(MAX_BYTES * shape.length);
    }
  });
});

describe('an arena', () => {
  it('of every shape has the bytes that are reckoned with', () => {
    for (const length of [2_000_000, 30_000_000]) {
      for (const shape of shapesOf(length)) {
        if (isCounted(shape)) continue;
        const { kept, passing } = memoryFor('cpu', shape, undefined);
        const off = Math.abs(arenaBytes(shape, TWO) - kept);
        // Keys alone have up to 4 MiB a thread besides.
        expect(off, nameOf(shape)).toBeLessThan(shape.operation === 'sort' ? 10 * MIB : 2 * MIB);
        expect(passing, nameOf(shape)).toBe(shape.operation === 'argsort' ? 4 * length : 0);
      }
    }
  });

  it('is left for parts if the backend does so, and takes a quarter then', () => {
    for (const length of [1e8, 1.4e8, 2.8e8, 5.5e8, 4e9]) {
      for (const shape of shapesOf(length)) {
        const plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
        const most = maxKeys(plans, shape.segmentCount, TWO);
        const inParts = !isCounted(shape) && length > most;
        expect(isInParts(shape), nameOf(shape)).toBe(inParts);
        if (!inParts) continue;
        const part = maxKeys(plans, 1, TWO) / 4;
        const { kept, passing } = memoryFor('cpu', shape, undefined);
        const ofPart = { ...shape, segmentCount: 1, length: Math.floor(part) };
        expect(Math.abs(arenaBytes(ofPart, TWO) - kept), nameOf(shape)).toBeLessThan(16 * MIB);
        // The result, and of an argsort the copies of a part.
        const bytes = shape.keyTypes.map((keyType) => Number(/\d+/.exec(keyType)) / 8);
        const width = shape.operation === 'argsort' ? 4 : (bytes[0] as number) + shape.valueBytes;
        const copies = shape.operation === 'argsort' ? bytes.reduce((a, b) => a + b) + 8 : 0;
        const expected = width * length + copies * part;
        expect(passing / expected, nameOf(shape)).toBeCloseTo(1, 2);
      }
    }
  });
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes by which arenas, and all buffers, grow while a request is served. */
async function allocatedBy(request: SortRequest, kernels: 'wasm' | 'plain') {
  const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow');
  const backend = cpu({ kernels, threads: 2 });
  collect();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const onProgress = (): void => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  };
  const { permutation } = await backend.sort({ ...request, onProgress });
  onProgress();
  const arenas = grow.mock.calls.reduce((bytes, [pages]) => bytes + pages * 65536, 0);
  grow.mockRestore();
  await backend.close();
  return { arenas, most, permutation };
}

it('parts take longer a key than an arena does; plain TypeScript and counting make none', () => {
  const perKey = (keyType: KeyType, length: number, kernels: 'wasm' | 'plain'): number => {
    const costs = builtInCosts('cpu', { ...thisMachine(), kernels }, undefined);
    return modelled(costs, plainShape('sort', keyType, length)) / length;
  };
  for (const [keyType, most] of [
    ['u32', 2 ** 29],
    ['f64', 2 ** 28],
  ] as const) {
    const within = perKey(keyType, 0.99 * most, 'wasm');
    expect(perKey(keyType, 1.01 * most, 'wasm')).toBeGreaterThan(4 * within);
    const plainly = perKey(keyType, 0.99 * most, 'plain');
    expect(perKey(keyType, 1.01 * most, 'plain')).toBeCloseTo(plainly);
  }
  expect(perKey('u8', 3e9, 'wasm')).toBeCloseTo(perKey('u8', 1e9, 'wasm'));
});

describe('a request', () => {
  const LENGTH = 1_000_000;
  const source = testRandom();

  it.each(
    sample(
      (['sort', 'sortPairs', 'argsort'] as const).flatMap((operation) =>
        (['u8', 'u32', 'f64'] as const).map((keyType) => ({ operation, keyType })),
      ),
      3,
    ),
  )('($operation of $keyType) takes what is reckoned with', async ({ operation, keyType }) => {
    const arrays = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array };
    const keys = new arrays[keyType](randomKeys(LENGTH, source));
    const request = plainRequest(operation, keys);
    const { kept, passing } = memoryFor('cpu', request.shape, undefined);
    const { arenas, most, permutation } = await allocatedBy(request, 'wasm');
    expect(Math.abs(arenas - kept)).toBeLessThan(2 * MIB);
    expect(most).toBeLessThan(passing + 4 * MIB);
    if (operation === 'argsort') expect(permutation?.byteLength).toBe(passing);
    const probe = await cpu({ kernels: 'plain' }).probe();
    const plain = memoryFor('cpu', request.shape, probe);
    const found = await allocatedBy(request, 'plain');
    expect(found.arenas).toBe(0);
    expect(plain.kept).toBe(0);
    // Garbage counts, too.
    expect(found.most).toBeLessThan(1.5 * plain.passing + MIB);
  });

  it('of short keys needs next to none: the CPU serves it with little memory free', async () => {
    const shape = plainShape('sort', 'u8', 3e8);
    const machine = thisMachine();
    const candidates = [cpu(), builtin()].map((backend) => {
      const costs = builtInCosts(backend.name, machine, undefined);
      const estimate = { costs, corrections: undefined, start: 0 };
      const cold = {
        probe: undefined,
        isWarm: true,
        startUp: 0,
        restsFor: 0,
        failure: undefined,
        heldBytes: 0,
      };
      return { backend, estimate, ...cold };
    });
    const profile = { name: 'a', reason: 'b' };
    const conditions = { profile, allowSoftware: false, freeBytes: 2 * MIB };
    expect(planRequest(shape, candidates, conditions).steps[0]?.backend).toBe('cpu');
    const wide = plainShape('sort', 'u32', 3e8);
    expect(planRequest(wide, candidates, conditions).steps[0]?.backend).toBe('builtin');
    await Promise.all(candidates.map(({ backend }) => backend.close()));
  });
});

it('what a backend holds is reckoned with until it gives it back', async () => {
  const state = new BackendState(cpu({ threads: 2, threadsFrom: 0 }), thisMachine(), 30_000);
  const keys = randomKeys(2 ** 18, new Random(runSeed()));
  const expected = keys.slice().sort();
  await state.probed();
  await state.sort(plainRequest('sort', keys));
  expect(keys).toEqual(expected);
  const { heldBytes } = state;
  expect(heldBytes).toBeGreaterThan(keys.byteLength);
  // A shorter sort gives nothing back.
  await state.sort(plainRequest('sort', keys.slice(0, 1000)));
  expect(state.heldBytes).toBe(heldBytes);
  await state.release();
  expect(state.heldBytes).toBe(0);
  await state.close();
});

it('a backend that has sorted since a failure rests no longer than after its first', async () => {
  const state = new BackendState(builtin(), thisMachine(), 30_000);
  for (let i = 0; i < 4; i++) {
    state.noteFailure(new Error('it broke'));
    // Twice as long after each failure in a row.
    expect(state.restsFor).toBeLessThanOrEqual(1000);
    await state.sort(plainRequest('sort', Uint32Array.of(2, 1)));
    expect(state.restsFor).toBe(0);
  }
  await state.close();
});
