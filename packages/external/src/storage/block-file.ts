/**
 * A file of this machine whose bytes go through the system's cache or, in whole blocks, straight
 * between memory and device. The quicker way is found by using both. The cache is quick where it
 * has the bytes, or where memory is free and the device slow; else it costs a copy and its pages.
 */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Race, type Way } from './race.js';

/** What goes past the cache is a multiple of so many bytes, in memory and in the file. */
export const BLOCK_BYTES = 4096;
/** Bytes of one read or write: enough to be quick, few enough for the system to take at once. */
const PIECE = 8 << 20;
/** Fewer bytes go through the cache. */
const LEAST = 16 * BLOCK_BYTES;
/** Bytes that are copied at a time where memory does not begin at a block. */
const STAGED = 4 << 20;
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

type Operation = 'read' | 'write';
type Races = Readonly<Record<Operation, Race>>;

const races = new Map<number, Races>();

/** What is known of a device. */
function racesOf(device: number): Races {
  const found = races.get(device) ?? { read: new Race(), write: new Race() };
  races.set(device, found);
  return found;
}

/** An open file that is either read or written, at any place. */
export class BlockFile {
  readonly #cached: FileHandle;
  readonly #races: Races;
  /** The same file past the cache; resolves to undefined where that cannot be. */
  #direct: Promise<FileHandle | undefined> | undefined;
  #staging: Uint8Array | undefined;

  private constructor(handle: FileHandle, races: Races) {
    this.#cached = handle;
    this.#races = races;
  }

  /** Takes an open file, which `close` closes. */
  static async of(handle: FileHandle): Promise<BlockFile> {
    return new BlockFile(handle, racesOf((await handle.stat()).dev));
  }

  /** Fills `into` with the bytes from `from` on. Resolves to how many there are. */
  async read(into: Uint8Array, from: number): Promise<number> {
    for (let done = 0; done < into.length; ) {
      const more = await this.#move('read', into.subarray(done, done + PIECE), from + done);
      if (more === 0) return done;
      done += more;
    }
    return into.length;
  }

  /** Writes `bytes` from `to` on. */
  async write(bytes: Uint8Array, to: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      done += await this.#move('write', bytes.subarray(done, done + PIECE), to + done);
    }
  }

  async close(): Promise<void> {
    await (await this.#direct)?.close();
    await this.#cached.close();
  }

  /** Reads or writes the first of `bytes`. Resolves to how many. */
  async #move(operation: Operation, bytes: Uint8Array, at: number): Promise<number> {
    const ahead = (BLOCK_BYTES - (at % BLOCK_BYTES)) % BLOCK_BYTES;
    if (bytes.length - ahead < LEAST) return transfer(this.#cached, operation, bytes, at);
    if (ahead > 0) return transfer(this.#cached, operation, bytes.subarray(0, ahead), at);
    const blocks = bytes.subarray(0, bytes.length - (bytes.length % BLOCK_BYTES));
    const race = this.#races[operation];
    if (race.next() === 'direct') {
      const moved = await timed(race, 'direct', () => this.#moveDirect(operation, blocks, at));
      if (moved > 0) return moved;
    }
    return timed(race, 'cached', () => transfer(this.#cached, operation, blocks, at));
  }

  /** The same past the cache. Resolves to 0 where that cannot be. */
  async #moveDirect(operation: Operation, blocks: Uint8Array, at: number): Promise<number> {
    this.#direct ??= openDirect(this.#cached, operation);
    const handle = await this.#direct;
    const aligned = operation === 'read' ? blocks : this.#stage(blocks);
    if (handle === undefined || aligned === undefined) return 0;
    try {
      return await transfer(handle, operation, aligned, at);
    } catch (error) {
      // Memory that does not begin at a block, or a system that wants other blocks.
      if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
      this.#direct = Promise.resolve(undefined);
      await handle.close();
      return 0;
    }
  }

  /** The bytes, or a copy of the first of them, in memory that may begin at a block. */
  #stage(bytes: Uint8Array): Uint8Array | undefined {
    if (bytes.byteOffset % BLOCK_BYTES === 0) return bytes;
    if (this.#staging === undefined) {
      const memory = memoryOfPages(STAGED);
      if (memory === undefined) return undefined;
      this.#staging = new Uint8Array(memory.buffer);
    }
    const some = bytes.subarray(0, STAGED);
    this.#staging.set(some);
    return this.#staging.subarray(0, some.length);
  }
}

/** Opens the file of `handle` once more. By its number: another file may have taken its name. */
async function openDirect(
  { fd }: FileHandle,
  operation: Operation,
): Promise<FileHandle | undefined> {
  const { O_DIRECT, O_RDONLY, O_WRONLY } = constants;
  if (O_DIRECT === undefined) return undefined;
  const flags = O_DIRECT | (operation === 'read' ? O_RDONLY : O_WRONLY);
  return open(`/proc/self/fd/${fd}`, flags).catch(() => undefined);
}

/** Resolves to the bytes moved. */
async function transfer(
  handle: FileHandle,
  operation: Operation,
  bytes: Uint8Array,
  at: number,
): Promise<number> {
  if (operation === 'read') return (await handle.read(bytes, 0, bytes.length, at)).bytesRead;
  return (await handle.write(bytes, 0, bytes.length, at)).bytesWritten;
}

async function timed(race: Race, way: Way, move: () => Promise<number>): Promise<number> {
  const start = performance.now();
  const moved = await move();
  if (moved > 0) race.note(way, moved, performance.now() - start);
  return moved;
}
