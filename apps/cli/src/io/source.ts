/** The input as a byte source: a file, a pipe, or standard input. */

import { constants, createReadStream, fstatSync, read, readFileSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { freemem } from 'node:os';
import { promisify } from 'node:util';
import { type ByteSource, bytesSource, FileError } from '@keysweep/files';
import { reasonOf } from '../failure.js';

/** A file that is open in this process. */
export interface OpenFile {
  readonly descriptor: number;
}

/** A source that holds a file open until it is closed. */
export interface InputSource extends ByteSource {
  /** The open file, if it is a regular one: other threads can read it, too. */
  readonly file?: OpenFile;
  close(): Promise<void>;
}

/** Bytes asked for in one read: enough to be quick, few enough to show progress. */
const CHUNK = 4 << 20;

const readSome = promisify(read);

/**
 * The file at `path`. A pipe has no size to go by, so all of it is read now, and `onRead` is told
 * the bytes read so far.
 * @throws FileError when it cannot be read, or a pipe's bytes take half of the free memory
 */
export async function openSource(
  path: string,
  onRead: (completed: number) => void,
): Promise<InputSource> {
  const name = `'${path}'`;
  return explained(name, async () => {
    const handle = await open(path, 'r');
    let isKept = false;
    try {
      const info = await handle.stat();
      if (info.isDirectory()) throw new Error('it is a directory');
      isKept = info.isFile() && info.size > 0;
      if (isKept) return fileSource(name, handle, info.size);
      const stream = handle.createReadStream({ highWaterMark: CHUNK, autoClose: false });
      return heldSource(name, await readStream(stream, onRead));
    } finally {
      if (!isKept) await handle.close();
    }
  });
}

/**
 * All bytes of standard input; `onRead` is told the bytes read so far.
 * @throws FileError when it cannot be read, is closed, or has more than `most` bytes, or takes half
 *   of the free memory
 */
export function readStandardInput(
  onRead: (completed: number) => void,
  most?: number,
): Promise<Uint8Array<ArrayBuffer>> {
  return explained('standard input', () => readStream(assertedInput(), onRead, most));
}

/**
 * Standard input, or the pipe at `path`, as it comes.
 * @throws FileError when it cannot be read, or is closed
 */
export async function* streamOf(path: string | undefined): AsyncGenerator<Uint8Array> {
  const name = path === undefined ? 'standard input' : `'${path}'`;
  const stream = await explained(
    name,
    async (): Promise<AsyncIterable<Uint8Array>> =>
      path === undefined ? assertedInput() : createReadStream(path, { highWaterMark: CHUNK }),
  );
  const chunks = stream[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await explained(name, () => chunks.next());
    if (done) return;
    yield value;
  }
}

function assertedInput(): AsyncIterable<Uint8Array> {
  // Node.js would read it as an empty stream.
  if (fstatSync(process.stdin.fd).isDirectory()) throw new Error('it is a directory');
  if (isClosedInput()) throw new Error('it is closed; pipe values in, or name an INPUT file');
  return process.stdin;
}

/**
 * Whether the command was started without standard input. Node.js then opens the null device there,
 * for reading and writing; what a shell opens for `< /dev/null` is for reading alone. Only Linux
 * tells the two apart.
 */
function isClosedInput(): boolean {
  try {
    const isNull = fstatSync(0).rdev === statSync('/dev/null').rdev;
    const [, flags = '0'] =
      /^flags:\s+(\d+)/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8')) ?? [];
    return isNull && (Number.parseInt(flags, 8) & constants.O_RDWR) !== 0;
  } catch {
    return false;
  }
}

/** Puts the source's name in front of every error but its own. */
async function explained<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof FileError) throw cause;
    throw new FileError(`cannot read ${name}: ${reasonOf(cause)}`, { cause });
  }
}

/** A source of bytes that are in memory. */
export const heldSource = (name: string, bytes: Uint8Array<ArrayBuffer>): InputSource => ({
  ...bytesSource(name, bytes),
  close: () => Promise.resolve(),
});

/** A regular file. Bytes appended later are not part of it. */
function fileSource(name: string, handle: FileHandle, size: number): InputSource {
  const { fd: descriptor } = handle;
  const read = readerOf(name, descriptor, size);
  return { name, size, file: { descriptor }, read, close: () => handle.close() };
}

/** Reads a regular file that stays open meanwhile. */
export function readerOf(name: string, descriptor: number, size: number): ByteSource['read'] {
  return (from, to, onRead) =>
    explained(name, async () => {
      const bytes = allocate(to - from);
      for (let done = 0; done < bytes.length; ) {
        const length = Math.min(CHUNK, bytes.length - done);
        const { bytesRead } = await readSome(descriptor, bytes, done, length, from + done);
        if (bytesRead === 0) {
          const left = from + done;
          throw new Error(
            `the system says that it has ${size} bytes, but it ends after ${left}; ` +
              'was it shortened while it was read?',
          );
        }
        done += bytesRead;
        onRead?.(done);
      }
      return bytes;
    });
}

/**
 * Keeps the chunks until their sum is known; each byte is copied once. So more than half of the
 * free memory would end the process.
 */
async function readStream(
  stream: AsyncIterable<Uint8Array>,
  onRead: (completed: number) => void,
  allowed?: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const most = allowed ?? Math.floor(freemem() / 2);
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) {
      throw new Error(
        allowed === undefined
          ? `it has over ${most} bytes, which is half of the memory that is free; --memory sorts ` +
              'raw numbers and records by files'
          : `it has over ${most} bytes, and a table takes more memory than it has: a larger ` +
              '--memory allows it',
      );
    }
    onRead(size);
  }
  const bytes = allocate(size);
  let done = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, done);
    done += chunk.length;
  }
  return bytes;
}

function allocate(size: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(size);
  } catch (cause) {
    throw new FileError(`not enough memory for ${size} bytes of input`, { cause });
  }
}
