/** The store of these tests keeps what stores promise, even if its disk is slow. */

import * as fs from 'node:fs';
import { Random, runSeed } from '@keysweep/conformance/data';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Storage } from '../dist/storage.js';
import { at, PART, type Store, serveObjects } from './s3-server.js';
import { expectSame } from './same-bytes.js';

const where = `seed ${runSeed()}`;
const bytes = new Random(runSeed()).fill(new Uint8Array(4 * PART));

let [store, storage] = [] as unknown as [Store, Storage];
serveObjects((...served) => {
  [store, storage] = served;
});

/** Milliseconds. */
const DELAY = 30;

// Streams only: a store that answers once it has written what describes the object is then early.
beforeEach(() => {
  const stream = fs.WriteStream.prototype;
  for (const name of ['_write', '_writev'] as const) {
    const write = stream[name] as (...args: unknown[]) => void;
    vi.spyOn(stream, name).mockImplementation(function (this: fs.WriteStream, ...args: unknown[]) {
      setTimeout(() => write.apply(this, args), DELAY);
    });
  }
});
afterEach(() => void vi.restoreAllMocks());

it('an object is whole when the store has answered', async () => {
  await store.put('one', bytes);
  expectSame(store.bytes('one'), bytes, where);
});

it('an object that is written anew is the old one or the new one, and nothing else', async () => {
  await store.put('one', bytes);
  const writing = store.put('one', bytes.subarray(PART));
  let isWritten = false;
  void writing.then(() => {
    isWritten = true;
  });
  const lengths = new Set<number>();
  while (!isWritten) {
    lengths.add(store.bytes('one').length);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect([3 * PART, 4 * PART]).toEqual(expect.arrayContaining([...lengths]));
  expectSame(store.bytes('one'), bytes.subarray(PART), where);
});

it('an object of several parts is whole when the store has answered', async () => {
  const file = await storage.write(at('parts'));
  await file.write(bytes);
  await file.close();
  expect(store.requests.filter(({ operation }) => operation === 'UploadPart').length).toBe(4);
  expectSame(store.bytes('parts'), bytes, where);
});
