/** Checks of a backend's life: what it says of itself, and what release and close do. */

import { ClosedError, type Operation } from '@keysweep/core';
import { type Check, some } from '../check.js';
import { ARRAY_CLASSES } from '../data/arrays.js';
import { randomKeys } from '../data/distributions.js';
import { assertSorted, assertUntouched, randomPairs, rejection } from '../request/pairs.js';
import { makeRequest } from '../request/request.js';
import { verifyAll } from '../request/verify.js';

const lifetimeCheck: Check = {
  name: 'probes, warms up, releases, and rejects with a ClosedError once closed',
  async run({ create, random, lengths }) {
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

const closeMeanwhileCheck: Check = {
  name: 'serves requests whole or rejects with a ClosedError when closed meanwhile',
  async run(subject) {
    const { create, random } = subject;
    const lengths = some(subject, subject.lengths, 2);
    const backend = create();
    const requests = [10, 3000, ...lengths, 100, ...lengths].map((length) => {
      const pairs = randomPairs(length, random);
      const { keys, values } = pairs;
      return { pairs, work: rejection(backend.sort(makeRequest('sortPairs', [keys], { values }))) };
    });
    await backend.close();
    for (const { pairs, work } of requests) {
      const what = `sortPairs(${pairs.keys.length}) of a backend closed meanwhile`;
      const error = await work;
      if (error === undefined) assertSorted(what, pairs);
      else if (error instanceof ClosedError) assertUntouched(what, pairs);
      else throw new Error(`${what} gave ${error}`);
    }
  },
};

const releaseMeanwhileCheck: Check = {
  name: 'serves requests while memory is released',
  async run(subject) {
    const { backend, random, lengths } = subject;
    const work = [3000, ...some(subject, lengths, 2)].map((length) => {
      const sorting = verifyAll(backend, randomKeys(length, random), []);
      return Promise.all([sorting, backend.release()]);
    });
    await Promise.all(work);
  },
};

const OPERATIONS: readonly Operation[] = ['sort', 'sortPairs', 'argsort'];

const maxLengthCheck: Check = {
  name: 'gives maxLength as a whole number of keys, whatever the length in question',
  async run({ backend }) {
    for (const { create } of ARRAY_CLASSES) {
      for (const operation of OPERATIONS) {
        const values = operation === 'sortPairs' ? { values: create(1) } : {};
        const { shape } = makeRequest(operation, [create(1)], values);
        const most = backend.maxLength(shape);
        const what = `maxLength of ${operation} of ${shape.keyTypes}`;
        if (!(most >= 0 && (Number.isInteger(most) || most === Number.POSITIVE_INFINITY))) {
          throw new Error(`${what} is ${most}`);
        }
        const other = backend.maxLength({ ...shape, length: 12_345_678 });
        if (other !== most) throw new Error(`${what} is ${most}, but ${other} for more keys`);
      }
    }
  },
};

/** The checks of a backend's life. */
export const LIFETIME_CHECKS: readonly Check[] = [
  releaseMeanwhileCheck,
  lifetimeCheck,
  closeMeanwhileCheck,
  maxLengthCheck,
];
