/**
 * A file of this machine. Temporary files that are large go past the system's cache in whole
 * blocks, straight between memory and device: that saves a copy by a processor, and the pages.
 */

import { constants, read, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { freemem } from 'node:os';
import { allDone } from '../all-done.js';
import { atOnce } from '../at-once.js';

/** What goes past the cache is a multiple of this many bytes, in memory and in the file. */
export const BLOCK_BYTES = 4096;
/**
 * Bytes of one read or write at least. Two at once keep the device busy between them. More than two
 * would wait for each other while the calling thread, which asks for the next one, sorts.
 */
const LEAST_PIECE = 8 << 20;
const PIECES = 2;
/** Fewer bytes go through the cache. */
const LEAST = 16 * BLOCK_BYTES;
/** So few bytes are read by the calling thread, while the system has them in its cache. */
const SMALL = 4096;
/** Milliseconds that a small read may take. From the cache it takes a fifth of them. */
const QUICK = 0.02;
/** If the small reads of a file took this much longer in all, a thread of the pool does more. */
const PATIENCE = 20;
/** The unit of a WebAssembly memory. */
const PAGE = 65_536;

/** Memory that begins at a block; undefined where the runtime has none, or not so much. */
export function memoryOfPages(bytes: number): WebAssembly.Memory | undefined {
  const pages = Math.ceil(bytes / PAGE);
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages });
  } catch {
    return undefined;
  }
}

/** The share of the free memory that Linux fills with data before it begins to write it. */
const UNWRITTEN = 1 / 10;

/**
 * Whether parts of `bytes` in all go through the cache: if they are so few that they are read and
 * removed before the system has written them to the device.
 */
export function areCached(bytes: number): boolean {
  const free = process.availableMemory?.() ?? freemem();
  return bytes <= UNWRITTEN * free;
}

type Operation = 'read' | 'write';

/**
 * An open file that is either read or written, at any place. Past the cache go bytes that lie as
 * far behind a block in memory as in the file: those in front of the first whole block, and behind
 * the last one, go through the cache at the same time.
 */
export class BlockFile {
  readonly #cached: FileHandle;
  readonly #operation: Operation;
  /** The same file past the cache; resolves to undefined where that cannot be. */
  #direct: Promise<FileHandle | undefined>;
  /** Milliseconds of small reads, less those that they may have taken. */
  #late = 0;

  /** Takes an open file, which `close` closes. */
  constructor(handle: FileHandle, operation: Operation, isPastCache: boolean) {
    this.#cached = handle;
    this.#operation = operation;
    // At once: while a program sorts, it does the next step only now and then.
    this.#direct = isPastCache ? this.#openDirect() : Promise.resolve(undefined);
  }

  /** Reads or writes `bytes` from the place `at` on. Resolves to how many there were. */
  async move(bytes: Uint8Array, at: number): Promise<number> {
    if (this.#operation === 'read' && bytes.length <= SMALL) return this.#readSoon(bytes, at);
    const ahead = (BLOCK_BYTES - (at % BLOCK_BYTES)) % BLOCK_BYTES;
    const behind = (at + bytes.length) % BLOCK_BYTES;
    const end = bytes.length - behind;
    const cached = (piece: Uint8Array, from: number) => this.#transfer(this.#cached, piece, from);
    if (end - ahead < LEAST || (bytes.byteOffset + ahead) % BLOCK_BYTES !== 0) {
      return this.#moveAll(bytes, at, cached);
    }
    const moved = await allDone([
      this.#moveAll(bytes.subarray(0, ahead), at, cached),
      this.#moveAll(bytes.subarray(ahead, end), at + ahead, (piece, from) =>
        this.#moveBlocks(piece, from),
      ),
      this.#moveAll(bytes.subarray(end), at + end, cached),
    ]);
    return moved.reduce((sum, count) => sum + count);
  }

  /**
   * Fills a few bytes by the calling thread, as long as the system has such bytes in its cache.
   * Returns whether it has.
   */
  readNow(bytes: Uint8Array, at: number): boolean {
    if (bytes.length > SMALL || this.#late >= PATIENCE) return false;
    const start = performance.now();
    try {
      return readSync(this.#cached.fd, bytes, 0, bytes.length, at) === bytes.length;
    } catch {
      // The same read by `move` throws what can be told.
      return false;
    } finally {
      this.#late = Math.max(0, this.#late + performance.now() - start - QUICK);
    }
  }

  async close(): Promise<void> {
    await (await this.#direct)?.close();
    await this.#cached.close();
  }

  /** By a thread of the pool. This function takes half the time of the handle's. */
  #readSoon(bytes: Uint8Array, at: number): Promise<number> {
    return new Promise((resolve, reject) => {
      read(this.#cached.fd, bytes, 0, bytes.length, at, (error, count) => {
        if (error === null) resolve(count);
        else reject(error);
      });
    });
  }

  /** Moves in two pieces. Resolves to how many bytes there were. */
  async #moveAll(
    bytes: Uint8Array,
    at: number,
    move: (piece: Uint8Array, at: number) => Promise<number>,
  ): Promise<number> {
    let moved = 0;
    const half = Math.ceil(bytes.length / PIECES / BLOCK_BYTES) * BLOCK_BYTES;
    const piece = Math.max(LEAST_PIECE, half);
    const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, i) => i * piece);
    await atOnce(PIECES, pieces, async (first) => {
      const end = Math.min(first + piece, bytes.length);
      let done = first;
      for (let more = 1; done < end && more > 0; done += more) {
        more = await move(bytes.subarray(done, end), at + done);
      }
      moved += done - first;
    });
    return moved;
  }

  /** Moves the first of whole blocks past the cache, or where that cannot be through it. */
  async #moveBlocks(blocks: Uint8Array, at: number): Promise<number> {
    const handle = await this.#direct;
    if (handle === undefined) return this.#transfer(this.#cached, blocks, at);
    try {
      return await this.#transfer(handle, blocks, at);
    } catch (error) {
      // The memory does not begin at a block after all, or the system has larger ones.
      if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
      this.#direct = Promise.resolve(undefined);
      await handle.close();
      return this.#transfer(this.#cached, blocks, at);
    }
  }

  /** Opens the file once more. By its number: another file may have taken its name. */
  async #openDirect(): Promise<FileHandle | undefined> {
    const { O_DIRECT, O_RDONLY, O_WRONLY } = constants;
    if (O_DIRECT === undefined) return undefined;
    const flags = O_DIRECT | (this.#operation === 'read' ? O_RDONLY : O_WRONLY);
    return open(`/proc/self/fd/${this.#cached.fd}`, flags).catch(() => undefined);
  }

  async #transfer(handle: FileHandle, bytes: Uint8Array, at: number): Promise<number> {
    const { length } = bytes;
    if (this.#operation === 'read') return (await handle.read(bytes, 0, length, at)).bytesRead;
    return (await handle.write(bytes, 0, length, at)).bytesWritten;
  }
}
