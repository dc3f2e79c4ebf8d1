/** Files of this machine and objects of S3 are written, read and replaced in the same way. */

import { mkdirSync } from 'node:fs';
import type { ListObjectsV2CommandInput, ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { Random, runSeed } from '@keysweep/conformance/data';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localStorage, type Storage } from '../dist/storage.js';
import { at, PART, type Store, serveObjects } from './s3-server.js';
import { expectSame } from './same-bytes.js';
import { scratch } from './scratch.js';

const SEED = runSeed();
const where = `seed ${SEED}`;
const { path } = scratch();

let [store, storage] = [] as unknown as [Store, Storage];
serveObjects((...served) => {
  [store, storage] = served;
});

describe.each(['of this machine', 'of S3'] as const)('a storage %s', (kind) => {
  const folder = (): string => (kind === 'of S3' ? at('folder') : path('folder'));
  const own = (): Storage => {
    if (kind === 'of this machine') mkdirSync(folder());
    return kind === 'of S3' ? storage : localStorage;
  };
  const make = async (of: Storage, name: string, bytes: Uint8Array): Promise<string> => {
    const file = await of.write(`${folder()}/${name}`);
    await file.write(bytes);
    await file.close();
    return `${folder()}/${name}`;
  };
  const readAll = async (of: Storage, name: string): Promise<Buffer> => {
    const file = await of.open(name);
    const bytes = Buffer.alloc(file.size);
    await file.read(bytes, 0);
    await file.close();
    return bytes;
  };

  it('writes pieces of any size, and reads any range', async () => {
    const of = own();
    const random = new Random(SEED);
    const bytes = random.fill(new Uint8Array(7 * PART + 11));
    const file = await of.write(`${folder()}/a`);
    for (let from = 0; from < bytes.length; ) {
      const piece = bytes.slice(from, from + random.below(3 * PART));
      await file.write(piece);
      // The caller may change what it gave.
      piece.fill(0);
      from += piece.length;
    }
    await file.close();
    expectSame(await readAll(of, `${folder()}/a`), bytes, where);
    const opened = await of.open(`${folder()}/a`);
    for (let i = 0; i < 10; i++) {
      const from = random.below(bytes.length);
      const to = from + random.below(bytes.length - from + 1);
      const into = new Uint8Array(to - from);
      await opened.read(into, from);
      expectSame(Buffer.from(into), bytes.subarray(from, to), where);
    }
    await expect(opened.read(new Uint8Array(2), bytes.length - 1)).rejects.toThrow(/cannot read/);
    await opened.close();
  });

  it('lists the names in a folder, renames and removes', async () => {
    const of = own();
    await of.makeFolder(`${folder()}/ab`);
    for (const name of ['a', 'aa', 'b', 'ab/c', 'ab/d']) await make(of, name, Uint8Array.of(1));
    expect([...(await of.list(folder()))].sort()).toEqual(['a', 'aa', 'ab', 'b']);
    expect([...(await of.list(folder(), 'aa'))]).toEqual(['aa']);
    await of.rename(`${folder()}/ab`, `${folder()}/e`);
    expect([...(await of.list(`${folder()}/e`))].sort()).toEqual(['c', 'd']);
    expect([...(await of.list(folder()))].sort()).toEqual(['a', 'aa', 'b', 'e']);
    await of.remove(`${folder()}/a`);
    await of.remove(`${folder()}/a`);
    await of.remove(`${folder()}/e`);
    expect([...(await of.list(folder()))].sort()).toEqual(['aa', 'b']);
  });

  it('makes an output whole by commit, or not at all', async () => {
    const of = own();
    const out = await make(of, 'out', Uint8Array.of(1));
    const output = await of.output(out);
    for (const isWanted of [false, true]) {
      const temporary = `${output.folder}/temporary`;
      await output.create(temporary, 3 * PART);
      const file = await of.write(temporary, 0);
      await file.write(new Uint8Array(2 * PART).fill(2));
      await file.write(Uint8Array.of(3));
      await file.close();
      expect(await readAll(of, out)).toEqual(Buffer.of(1));
      if (isWanted) await output.commit(temporary);
      await of.remove(temporary);
    }
    await output.close?.();
    const expected = Buffer.alloc(2 * PART + 1, 2);
    expected[2 * PART] = 3;
    expectSame(await readAll(of, out), expected, where);
    expect(await of.list(folder())).toEqual(['out']);
    expect(store.uploads()).toEqual([]);
  });
});

it('a folder of more objects than a store lists at once is listed and removed whole', async () => {
  // Stores list a thousand at once, this one two: s3rver fails where a list is longer.
  store.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const { ContinuationToken = '0', ...asked } = args.input as ListObjectsV2CommandInput;
        if (commandName !== 'ListObjectsV2Command') return next(args);
        const answer = await next({ ...args, input: asked });
        const { Contents = [] } = answer.output as ListObjectsV2CommandOutput;
        const [from, to] = [Number(ContinuationToken), Number(ContinuationToken) + 2];
        const NextContinuationToken = to < Contents.length ? `${to}` : undefined;
        const page = { Contents: Contents.slice(from, to), NextContinuationToken };
        return { ...answer, output: { ...answer.output, ...page } };
      },
    { step: 'initialize', name: 'few' },
  );
  onTestFinished(() => void store.client.middlewareStack.remove('few'));
  const names = ['0', '1', '2', '3', '4', '5', '6'];
  for (const name of names) await store.put(`folder/${name}`, Uint8Array.of(1));
  expect([...(await storage.list(at('folder')))].sort()).toEqual(names);
  expect(store.requests.length).toBeGreaterThan(1);
  await storage.remove(at('folder'));
  expect(store.keys()).toEqual([]);
});

it('an object that cannot be completed leaves no upload, and keeps the earlier one', async () => {
  const bytes = (value: number) => new Uint8Array(2 * PART + 1).fill(value);
  const fill = async (name: string, value: number): Promise<void> => {
    const file = await storage.write(name);
    await file.write(bytes(value));
    await file.close();
  };
  await fill(at('object'), 1);
  store.fault = ({ operation }) => (operation === 'CompleteUpload' ? 'forbidden' : undefined);
  await expect(fill(at('object'), 2)).rejects.toThrow(/^cannot write 's3:.*Not for you/);
  expect(store.uploads()).toEqual([]);
  const output = await storage.output(at('object'));
  const temporary = at('temporary');
  await output.create(temporary, bytes(3).length);
  const file = await storage.write(temporary, 0);
  await file.write(bytes(3));
  await file.close();
  await expect(output.commit(temporary)).rejects.toThrow(/^cannot write 's3:.*Not for you/);
  await storage.remove(temporary);
  expect(store.uploads()).toEqual([]);
  expect(store.keys()).toEqual(['object']);
  expectSame(store.bytes('object'), bytes(1), where);
});
