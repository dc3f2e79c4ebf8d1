/** Reading a whole file or stream into memory, once. */

import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Failure, failureOf } from '../failure.js';

/** Called with the bytes read so far and the bytes there are, where that is known. */
export type OnRead = (completed: number, total: number | undefined) => void;

/** Bytes asked for in one read: enough to be quick, few enough to show progress. */
const CHUNK = 4 << 20;

/**
 * All bytes of the file at `path`, or of standard input for undefined, in a buffer of their own.
 * @throws Failure when they cannot be read or do not fit into memory.
 */
export async function readBytes(path: string | undefined, onRead: OnRead): Promise<Uint8Array> {
  const what = path === undefined ? 'cannot read standard input' : `cannot read '${path}'`;
  try {
    if (path === undefined) {
      // Node.js would make an empty stream of it.
      if (fstatSync(process.stdin.fd).isDirectory()) throw new Error('it is a directory');
      return await readStream(process.stdin, onRead);
    }
    const handle = await open(path, 'r');
    try {
      const info = await handle.stat();
      if (info.isDirectory()) throw new Error('it is a directory');
      // Pipes and devices have no size to go by.
      return info.isFile() && info.size > 0
        ? await readFile(handle, info.size, onRead)
        : await readStream(
            handle.createReadStream({ highWaterMark: CHUNK, autoClose: false }),
            onRead,
          );
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw failureOf(what, error);
  }
}

/** Straight into one buffer: nothing is copied. Bytes appended meanwhile are not read. */
async function readFile(handle: FileHandle, size: number, onRead: OnRead): Promise<Uint8Array> {
  const bytes = allocate(size);
  let done = 0;
  while (done < size) {
    const { bytesRead } = await handle.read(bytes, done, Math.min(CHUNK, size - done), null);
    if (bytesRead === 0) {
      throw new Error(`it had ${size} bytes and was shortened to ${done} while being read`);
    }
    done += bytesRead;
    onRead(done, size);
  }
  return bytes;
}

/** Keeps the chunks until their sum is known; each byte is copied once. */
async function readStream(stream: AsyncIterable<Uint8Array>, onRead: OnRead): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    onRead(size, undefined);
  }
  const bytes = allocate(size);
  let done = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, done);
    done += chunk.length;
  }
  return bytes;
}

function allocate(size: number): Uint8Array {
  try {
    return new Uint8Array(size);
  } catch (cause) {
    throw new Failure(`not enough memory for ${size} bytes of input`, { cause });
  }
}
