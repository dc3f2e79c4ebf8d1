/** Waits that end when a thread is lost. */

import { expect, it } from 'vitest';
import { Breakage } from '../src/pool/breakage.js';

const lost = new Error('a thread was lost');
/** A promise, and what rejects it. */
function rejectable(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject = (_: Error): void => {};
  const promise = new Promise<never>((_, fail) => {
    reject = fail;
  });
  return { promise, reject };
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

it('waits for work as long as no thread is lost', async () => {
  const breakage = new Breakage(new Promise(() => {}));
  expect(await breakage.unlessBroken(Promise.resolve(7))).toBe(7);
  await expect(breakage.unlessBroken(Promise.reject(new Error('own')))).rejects.toThrow('own');
  expect(breakage.isBroken).toBe(false);
});

it('ends all waits at a loss, and later ones at once', async () => {
  const { promise, reject } = rejectable();
  const breakage = new Breakage(promise);
  const waits = [1, 2].map(() => breakage.unlessBroken(new Promise(() => {})));
  const ends = Promise.allSettled(waits);
  reject(lost);
  expect(await ends).toEqual(waits.map(() => ({ status: 'rejected', reason: lost })));
  expect(breakage.isBroken).toBe(true);
  await expect(breakage.unlessBroken(Promise.resolve(7))).rejects.toBe(lost);
  await expect(breakage.unlessBroken(new Promise(() => {}))).rejects.toBe(lost);
});

it('says nothing of a loss to waits that are over', async () => {
  const { promise, reject } = rejectable();
  const breakage = new Breakage(promise);
  expect(await breakage.unlessBroken(Promise.resolve(7))).toBe(7);
  reject(lost);
  await turn();
  expect(breakage.isBroken).toBe(true);
});
