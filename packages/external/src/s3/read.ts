/** Objects that are read: by ranges alone. */

import { setTimeout as wait } from 'node:timers/promises';
import { GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { atOnce } from '../at-once.js';
import { ExternalError } from '../error.js';
import type { StoredFile } from '../storage/storage.js';
import { objectOf, type Place } from './address.js';
import { answered, statusOf } from './error.js';

/** Bytes of one range. */
const RANGE = 8 << 20;
/** Bytes of the smallest range: fewer take a request no less time. */
const BLOCK = 16 << 10;
/** Blocks of a file that are kept for the next small reads. */
const KEPT = 64;
/** How often a range is asked for whose bytes break off: the client repeats other failures. */
const ATTEMPTS = 5;
/** Milliseconds before the second attempt; each wait is twice the one before. */
const WAIT = 50;

export async function openObject(
  client: S3Client,
  address: string,
  requests: number,
): Promise<StoredFile> {
  const place = objectOf(address);
  const what = `cannot read '${address}'`;
  const head = await answered(what, () => client.send(new HeadObjectCommand(place)));
  const size = head.ContentLength;
  // A store may leave it out, which is not the same as an object without bytes.
  if (size === undefined) throw new ExternalError(`${what}: its store does not tell its size`);
  const version = head.ETag ?? '';
  const readAll = async (into: Uint8Array, from: number): Promise<void> => {
    const ranges: Range[] = [];
    for (let at = 0; at < into.length; at += RANGE) {
      ranges.push({ into: into.subarray(at, at + RANGE), from: from + at });
    }
    await atOnce(requests, ranges, (range) => readRange(client, place, version, range));
  };
  const blocks = new Blocks(size, readAll);
  return {
    size,
    version,
    close: () => Promise.resolve(),
    read: (into, from) =>
      answered(what, async () => {
        if (from + into.length > size) throw new Error(`it has only ${size} bytes`);
        await (into.length < BLOCK ? blocks.read(into, from) : readAll(into, from));
      }),
  };
}

/** Small reads, such as those of a sample: those that are near each other share a request. */
class Blocks {
  readonly #size: number;
  readonly #readAll: (into: Uint8Array, from: number) => Promise<void>;
  /** The last ones, by their places; the oldest comes first. */
  readonly #kept = new Map<number, Promise<Uint8Array>>();

  constructor(size: number, readAll: (into: Uint8Array, from: number) => Promise<void>) {
    this.#size = size;
    this.#readAll = readAll;
  }

  async read(into: Uint8Array, from: number): Promise<void> {
    for (let done = 0; done < into.length; ) {
      const within = (from + done) % BLOCK;
      const block = await this.#block(from + done - within);
      const bytes = block.subarray(within, within + into.length - done);
      into.set(bytes, done);
      done += bytes.length;
    }
  }

  #block(from: number): Promise<Uint8Array> {
    let block = this.#kept.get(from);
    if (block === undefined) {
      const bytes = new Uint8Array(Math.min(BLOCK, this.#size - from));
      block = this.#readAll(bytes, from).then(() => bytes);
      this.#kept.set(from, block);
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > KEPT) this.#kept.delete(oldest as number);
    }
    return block;
  }
}

interface Range {
  readonly into: Uint8Array;
  readonly from: number;
}

async function readRange(
  client: S3Client,
  place: Place,
  version: string,
  { into, from }: Range,
): Promise<void> {
  let done = 0;
  for (let attempt = 1; ; attempt++) {
    const body = await getRange(client, place, version, from + done, from + into.length);
    try {
      for await (const bytes of body) {
        if (bytes.length > into.length - done) throw new ExternalError(NO_RANGES);
        into.set(bytes, done);
        done += bytes.length;
      }
      if (done === into.length) return;
      throw new Error(`${done} of ${into.length} bytes came`);
    } catch (error) {
      if (error instanceof ExternalError || attempt === ATTEMPTS) throw error;
      await wait(WAIT * 2 ** (attempt - 1));
    }
  }
}

const NO_RANGES = 'its store does not answer with the range that was asked for';

/** The bytes from `from` up to `to` of an object, as they come. */
async function getRange(
  client: S3Client,
  place: Place,
  version: string,
  from: number,
  to: number,
): Promise<AsyncIterable<Uint8Array>> {
  const command = new GetObjectCommand({ ...place, Range: `bytes=${from}-${to - 1}` });
  const answer = await client.send(command).catch((error: unknown) => {
    // The object is shorter than it was, or is not there any more.
    if (statusOf(error) === 416) throw new Error(CHANGED);
    throw error;
  });
  const body = answer.Body as AsyncIterable<Uint8Array> & { destroy(): void };
  if (answer.ETag === version && answer.ContentRange?.startsWith(`bytes ${from}-${to - 1}/`)) {
    return body;
  }
  body.destroy();
  throw new Error(answer.ETag === version ? NO_RANGES : CHANGED);
}

const CHANGED = 'it was changed while it was read';
