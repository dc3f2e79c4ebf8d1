/** Checks of how a backend behaves: among several requests, to its watchers, over its life. */

import { ClosedError, type Operation, type Progress } from '@keysweep/core';
import type { Check, Subject } from './checks.js';
import { ARRAY_CLASSES, type ArrayClass } from './data/arrays.js';
import { fillWithBits, randomKeys } from './data/distributions.js';
import { assertSorted, assertUntouched, randomPairs, rejection } from './request/pairs.js';
import { makeRequest } from './request/request.js';
import { serve, verifyAll } from './request/verify.js';

const concurrencyCheck: Check = {
  name: 'several requests at once do not disturb each other',
  async run({ backend, random, lengths }) {
    const sizes = [10, 3000, 5, 2000, ...lengths, 100, ...lengths];
    await Promise.all(
      sizes.map((length, i) => {
        const arrayClass = ARRAY_CLASSES[i % ARRAY_CLASSES.length] as ArrayClass;
        const keys = arrayClass.create(length);
        fillWithBits(keys, random);
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

const closeMeanwhileCheck: Check = {
  name: 'close meanwhile: every request is served whole, or rejects with ClosedError',
  async run({ create, random, lengths }) {
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
  name: 'release meanwhile disturbs no request',
  async run({ backend, random, lengths }) {
    const work = [3000, ...lengths].map((length) => {
      const sorting = verifyAll(backend, randomKeys(length, random), []);
      return Promise.all([sorting, backend.release()]);
    });
    await Promise.all(work);
  },
};

const OPERATIONS: readonly Operation[] = ['sort', 'sortPairs', 'argsort'];

const maxLengthCheck: Check = {
  name: 'maxLength: a whole number of keys, whatever the length asked about',
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

/** The checks of how a backend behaves. */
export const CONDUCT_CHECKS: readonly Check[] = [
  concurrencyCheck,
  progressCheck,
  releaseMeanwhileCheck,
  lifeCheck,
  closeMeanwhileCheck,
  maxLengthCheck,
];
