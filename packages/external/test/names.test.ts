/** Names of files and objects, and how errors show them. */

import { describe, expect, it } from 'vitest';
import { ExternalError, explained } from '../dist/error.js';
import { addressOf, hasDots, objectOf, placeOf } from '../dist/s3/address.js';
import { isAddress, nameIn } from '../dist/storage/address.js';
import { storageByName } from '../dist/storage/by-name.js';
import type { Storage } from '../dist/storage/storage.js';

describe('errors', () => {
  it('of the system are said in words, with what failed', async () => {
    const gone = Object.assign(new Error('ENOENT: x'), { errno: -2 });
    const act = (error: unknown) => explained("cannot read 'x'", () => Promise.reject(error));
    await expect(act(gone)).rejects.toThrow("cannot read 'x': no such file or directory (ENOENT)");
    await expect(act(new Error('other'))).rejects.toThrow("cannot read 'x': other");
    await expect(act('text')).rejects.toThrow("cannot read 'x': text");
    await expect(act(gone)).rejects.toMatchObject({ name: 'ExternalError', cause: gone });
    const unknown = Object.assign(new Error('odd'), { errno: 12_345 });
    await expect(act(unknown)).rejects.toThrow("cannot read 'x': odd");
    const own = new ExternalError('own');
    await expect(act(own)).rejects.toBe(own);
    expect(await explained('', () => 5)).toBe(5);
    const now = explained('cannot', () => {
      throw new Error('now');
    });
    await expect(now).rejects.toThrow('cannot: now');
  });
});

describe('names', () => {
  it('are addresses or paths', () => {
    for (const name of ['s3://b/k', 'S3://b', 'a+b-c.d://', 'file:///x', 'ab1://x']) {
      expect([name, isAddress(name)]).toEqual([name, true]);
    }
    for (const name of ['/a', 'a', 's3:/b', 'c:\\x', 'a://x', '3s://b', '/s3://b', '']) {
      expect([name, isAddress(name)]).toEqual([name, false]);
    }
    expect(nameIn('/a/b', 'c')).toBe('/a/b/c');
    expect(nameIn('s3://b/k', 'c')).toBe('s3://b/k/c');
    expect(nameIn('s3://b/', 'c')).toBe('s3://b/c');
  });

  it('of objects have a bucket and a key', () => {
    expect(placeOf('s3://b/k/l')).toEqual({ Bucket: 'b', Key: 'k/l' });
    expect(placeOf('s3://b')).toEqual({ Bucket: 'b', Key: '' });
    expect(placeOf('s3://b/k/')).toEqual({ Bucket: 'b', Key: 'k' });
    expect(placeOf('s3://b/a@b:c\nd')).toEqual({ Bucket: 'b', Key: 'a@b:c\nd' });
    expect(placeOf('s3://arn:aws:s3:x/k')).toEqual({ Bucket: 'arn:aws:s3:x', Key: 'k' });
    expect(addressOf({ Bucket: 'b', Key: 'k/l' })).toBe('s3://b/k/l');
    expect(objectOf('s3://b/k')).toEqual({ Bucket: 'b', Key: 'k' });
    for (const address of ['s3://b', 's3://b/', 's3://b/k/']) {
      expect(() => objectOf(address)).toThrow(`'${address}' is no object`);
    }
    for (const address of ['s3://', 's3:///k', 'http://b/k', '/b/k', '']) {
      expect(() => placeOf(address)).toThrow(ExternalError);
      expect(() => placeOf(address)).toThrow('is no address such as');
    }
    for (const address of ['s3://k:s@b/x', 's3://k:s/x', 's3://k@b']) {
      expect(() => placeOf(address)).toThrow('was given with credentials');
    }
    for (const key of ['..', '.', 'a/..', '../a', 'a/./b', 'a\\..\\b', 'a/..']) {
      expect([key, hasDots(key)]).toEqual([key, true]);
      expect(() => placeOf(`s3://b/${key}`)).toThrow("has '.' or '..' between slashes");
    }
    for (const key of ['a', '...', 'a..b', '.a', 'a.', '..a/b', '']) {
      expect([key, hasDots(key)]).toEqual([key, false]);
    }
    expect(() => placeOf('s3://../k')).toThrow('between slashes');
  });

  it('decide which storage is asked', async () => {
    const asked: unknown[] = [];
    const remote = new Proxy({} as Storage, {
      get:
        (_, name) =>
        async (...args: unknown[]) => {
          asked.push([name, ...args]);
          return 'answer';
        },
    });
    const storage = storageByName(remote);
    const calls = {
      open: ['s3://b/1'],
      write: ['s3://b/2', 5],
      makeFolder: ['s3://b/3'],
      list: ['s3://b/4', 'p'],
      rename: ['s3://b/5', 's3://b/6'],
      remove: ['s3://b/7'],
      output: ['s3://b/8'],
      space: ['s3://b/9'],
      streamBytes: ['s3://b/10'],
    } as const;
    for (const [name, args] of Object.entries(calls)) {
      const call = storage[name as keyof Storage] as (...given: unknown[]) => Promise<unknown>;
      expect(await call(...args)).toBe('answer');
    }
    expect(asked).toEqual(Object.entries(calls).map(([name, args]) => [name, ...args]));
    const none = storageByName(undefined);
    await expect(none.open('s3://k:secret@b/1')).rejects.toThrow(
      "'s3://b/1' is an address, and this process was given no storage for it",
    );
    await expect(none.open('/nowhere/at/all')).rejects.toThrow('no such file or directory');
  });
});
