/** Which calls wait for each other: by the ranges of one buffer, and by what they do with them. */

import { plainRequest, type SortRequest } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { isUnlocked, withMemoryLock } from '../../dist/call/memory-locks.js';

type Access = 'reads' | 'writes';

const ACCESSES: readonly Access[] = ['reads', 'writes'];

/** The first range, and others around it: elements of a buffer of 100. */
const FIRST = [40, 60] as const;
const PLACES = [
  { place: 'equal', range: [40, 60], overlaps: true },
  { place: 'inside', range: [45, 55], overlaps: true },
  { place: 'around', range: [30, 70], overlaps: true },
  { place: 'over the beginning', range: [30, 41], overlaps: true },
  { place: 'over the end', range: [59, 70], overlaps: true },
  { place: 'just before', range: [30, 40], overlaps: false },
  { place: 'just behind', range: [60, 70], overlaps: false },
] as const;

const buffer = new ArrayBuffer(100);

function requestOf(access: Access, [from, to]: readonly [number, number]): SortRequest {
  const keys = new Uint8Array(buffer, from, to - from);
  return plainRequest(access === 'reads' ? 'argsort' : 'sort', keys);
}

/** Whether a call has to wait for another that came before and has not ended. */
async function waits(earlier: SortRequest, later: SortRequest): Promise<boolean> {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let hasBegun = false;
  const first = withMemoryLock({ request: earlier }, () => ended);
  const second = withMemoryLock({ request: later }, async () => {
    hasBegun = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 0));
  const didWait = !hasBegun;
  end();
  await Promise.all([first, second]);
  expect(hasBegun, 'the later call is served in the end').toBe(true);
  expect(isUnlocked(new Uint8Array(buffer)), 'no lock is left').toBe(true);
  return didWait;
}

describe.each(PLACES)('of two ranges, one $place', ({ range, overlaps }) => {
  for (const [a, b] of ACCESSES.flatMap((x) => ACCESSES.map((y) => [x, y] as const))) {
    const expected = overlaps && (a === 'writes' || b === 'writes');
    it(`one call ${a}, the next ${b}: it ${expected ? 'waits' : 'does not wait'}`, async () => {
      expect(await waits(requestOf(a, FIRST), requestOf(b, range))).toBe(expected);
      expect(await waits(requestOf(a, range), requestOf(b, FIRST))).toBe(expected);
    });
  }
});

it('pairs lock their values, too', async () => {
  const other = new Uint8Array(20);
  const pairs: SortRequest = {
    ...plainRequest('sortPairs', new Uint8Array(20)),
    values: new Uint8Array(buffer, 40, 20),
  };
  expect(await waits(pairs, requestOf('reads', [59, 70]))).toBe(true);
  expect(await waits(requestOf('writes', [30, 41]), pairs)).toBe(true);
  expect(await waits(pairs, plainRequest('sort', other))).toBe(false);
  // Ranges of two buffers have nothing to do with one another, whatever else two calls share.
  const keys = new Uint8Array(100);
  const apart: SortRequest = { ...pairs, columns: [keys.subarray(0, 20)] };
  expect(await waits(apart, plainRequest('sort', keys.subarray(40, 60)))).toBe(false);
  expect(await waits(apart, plainRequest('sort', keys.subarray(19, 60)))).toBe(true);
});

it('equal ranges of two buffers do not wait', async () => {
  const other = plainRequest('sort', new Uint8Array(new ArrayBuffer(100), 40, 20));
  expect(await waits(requestOf('writes', FIRST), other)).toBe(false);
});

it('a call that fails leaves no lock', async () => {
  const failure = new Error('it broke');
  const call = { request: requestOf('writes', FIRST) };
  await expect(withMemoryLock(call, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(isUnlocked(new Uint8Array(buffer))).toBe(true);
});

it('a call that gives up while it waits leaves no lock', async () => {
  const controller = new AbortController();
  const failure = new Error('it broke');
  const fail = (): void => {
    throw failure;
  };
  const earlier = requestOf('writes', FIRST);
  const { signal } = controller;
  const given: readonly Partial<SortRequest>[] = [
    { onProgress: fail },
    { onProgress: fail, signal },
    { signal },
  ];
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const first = withMemoryLock({ request: earlier }, () => ended);
  let begun = 0;
  const waiting = given.map((more) =>
    withMemoryLock({ request: { ...earlier, ...more } }, async () => void begun++),
  );
  controller.abort(failure);
  for (const call of waiting) await expect(call).rejects.toBe(failure);
  const last = withMemoryLock({ request: earlier }, async () => void begun++);
  end();
  await Promise.all([first, last]);
  expect(begun, 'the last call has begun').toBe(1);
  expect(isUnlocked(new Uint8Array(buffer)), 'no lock is left').toBe(true);
});
