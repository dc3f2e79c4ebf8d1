/** A stream as a source: in memory if it is short, else in a temporary file. */

import { untilAborted } from '@keysweep/core';
import { nameIn } from '../storage/address.js';
import { INPUT } from '../storage/names.js';
import type { StoredStream } from '../storage/storage.js';
import { later, type Run } from './run.js';
import { assertWhole, heldSource, openFiles, type Source } from './source.js';

/** Bytes of small chunks that are gathered before they are held or written. */
const LEAST_GATHERED = 4096;
const MAX_GATHERED = 1 << 20;

/**
 * All bytes of `stream`: in memory up to `most` of them, else in a file in the folder that
 * `makeFolder` makes.
 * @throws what the stream throws; ExternalError where it is no whole number of records
 */
export async function spool(
  run: Run,
  stream: AsyncIterable<Uint8Array>,
  most: number,
  makeFolder: () => Promise<string>,
): Promise<Source> {
  let held: Uint8Array[] = [];
  let size = 0;
  let path = '';
  let file: StoredStream | undefined;
  // Small chunks are gathered: each by itself would take many times the memory of its bytes.
  const gathered = new Uint8Array(Math.max(LEAST_GATHERED, Math.min(most, MAX_GATHERED)));
  let filled = 0;
  const put = async (bytes: Uint8Array): Promise<void> => {
    if (file === undefined) held.push(new Uint8Array(bytes));
    else await file.write(bytes);
  };
  const add = async (chunk: Uint8Array): Promise<void> => {
    if (filled + chunk.length > gathered.length) {
      await put(gathered.subarray(0, filled));
      filled = 0;
    }
    if (chunk.length >= gathered.length) return put(chunk);
    gathered.set(chunk, filled);
    filled += chunk.length;
  };
  try {
    for await (const chunk of untilAbort(stream, run.signal)) {
      if (!(chunk instanceof Uint8Array)) {
        throw new TypeError(`input must be a stream of Uint8Arrays, it has a ${typeof chunk}`);
      }
      size += chunk.length;
      run.tell('spool', size);
      if (size > most && file === undefined) {
        path = nameIn(await makeFolder(), INPUT);
        file = await run.storage.write(path);
        for (const bytes of held) await file.write(bytes);
        held = [];
      }
      await add(chunk);
    }
    await put(gathered.subarray(0, filled));
  } catch (error) {
    await file?.abort();
    throw error;
  }
  await file?.close();
  assertWhole('the input stream', size, run.layout.width);
  if (file === undefined) return heldSource(Buffer.concat(held));
  run.count.written += size;
  return openFiles(run, [path]);
}

/** The stream, which an abort ends even while it waits. @throws the reason of the abort */
async function* untilAbort<T>(
  stream: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      // Each chunk waits by itself: a promise of the abort for all of them would keep every one.
      const { done, value } = await untilAborted(iterator.next(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    // It may never answer: what it does then is its own affair.
    later(Promise.resolve(iterator.return?.()));
  }
}
