/**
 * The output. A regular file is written whole or not at all: into a temporary file beside it, which
 * is renamed at the end. Standard output, pipes and devices are written directly.
 */

import { constants, fdatasync, fstatSync, readdirSync, readFileSync, write } from 'node:fs';
import { open } from 'node:fs/promises';
import { platform } from 'node:os';
import { promisify } from 'node:util';
import {
  removeLeftovers,
  removeTemporaries,
  Target,
  temporaryIn,
} from '@keysweep/external/storage';
import type { ByteSink } from '@keysweep/files';
import { failureOf, ReaderGone } from '../failure.js';
import { onInterrupt } from './interrupt.js';
import { kindOf } from './kind.js';
import { shown } from './terminal.js';

/** An opened output. Exactly one of `commit` and `discard` ends it. */
export interface Output extends ByteSink {
  /** Makes what was written final. */
  commit(): Promise<void>;
  /** Removes what was written, except from a pipe. */
  discard(): Promise<void>;
}

const writeSome = promisify(write);
const sync = promisify(fdatasync);

/** After this many bytes the system is asked to bring them to the device. */
const SYNCED = 2 ** 25;

/**
 * Opens `path`, or standard output for undefined. It is checked now, before any work is done.
 * @throws Failure when it cannot be written.
 */
export async function openOutput(path: string | undefined): Promise<Output> {
  if (path === undefined) return standardOutput();
  const what = `cannot write '${path}'`;
  try {
    const descriptor = descriptorOf(path);
    if (descriptor === 1) return standardOutput();
    if (descriptor !== undefined) return withName(what, openedFile(descriptor));
    const output = (await atomicFile(path)) ?? (await directFile(path));
    return withName(what, output);
  } catch (error) {
    throw failureOf(what, error);
  }
}

/** Whether `path` is written as a new file that replaces a previous one. */
export function isReplaced(path: string): boolean {
  if (descriptorOf(path) !== undefined) return false;
  const existing = kindOf(path);
  return existing === undefined || existing.isFile() || existing.isDirectory();
}

/** Codes with which writing to a pipe or a socket fails once its reader has closed it. */
const GONE: readonly unknown[] = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'];

/** Puts `what` in front of every error of `output`, unless its reader is gone. */
function withName(what: string, output: Output): Output {
  const named = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      if (error instanceof ReaderGone) throw error;
      const { code } = Object(error) as NodeJS.ErrnoException;
      throw GONE.includes(code) ? new ReaderGone(what, { cause: error }) : failureOf(what, error);
    });
  return {
    write: (bytes) => named(output.write(bytes)),
    commit: () => named(output.commit()),
    discard: () => named(output.discard()),
  };
}

/**
 * The descriptor that `path` stands for, such as /dev/stdout or the one that a shell makes of
 * `>(…)`. Such a path is written through the open descriptor, because a pipe has no path of its
 * own, and a file must be continued where it is.
 */
function descriptorOf(path: string): number | undefined {
  if (path === '/dev/stdout') return 1;
  if (path === '/dev/stderr') return 2;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path) ?? [];
  return number === undefined ? undefined : Number(number);
}

/**
 * A regular file. The new file gets the mode of the old one, and as root its owner. undefined if
 * something other than a regular file is there.
 */
async function atomicFile(path: string): Promise<Output | undefined> {
  const target = new Target(path);
  const { existing } = target;
  if (existing !== undefined && !existing.isFile()) {
    await target.close();
    return undefined;
  }
  // The handler comes before the file, which is made synchronously: signals are handled between two
  // turns of the event loop.
  const forgetInterrupt = onInterrupt(removeTemporaries);
  let written = 0;
  let synced = Promise.resolve();
  let isSyncing = false;
  const end = async (): Promise<void> => {
    forgetInterrupt();
    await target.close();
  };
  const temporary = temporaryIn(target.folder);
  try {
    await target.assertReplaceable();
    await removeLeftovers(target.folder);
    const fd = target.createNow(temporary);
    return {
      async write(bytes) {
        if (!isSyncing) await synced;
        await writeFile(fd, bytes);
        written += bytes.length;
        if (written < SYNCED || isSyncing) return;
        // So that the device writes while the next rows are made, and not only at the end.
        [written, isSyncing] = [0, true];
        synced = sync(fd).finally(() => {
          isSyncing = false;
        });
        // The system tells a failure once, so it is thrown where this is awaited.
        synced.catch(() => {});
      },
      async commit() {
        await synced;
        await target.commit(temporary);
        await end();
      },
      async discard() {
        await synced.catch(() => {});
        await target.remove(temporary);
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** An output that is already open. It stays open, because its opener may go on using it. */
function openedFile(fd: number): Output {
  if (isOfRuntime(fd)) throw new Error('this command was given no such open file');
  return {
    write: (bytes) => writeFile(fd, bytes),
    commit: () => Promise.resolve(),
    discard: () => Promise.resolve(),
  };
}

/**
 * Whether Node.js has opened `fd` for itself, under a number that the caller has left free. That
 * must not be written: Node takes bytes in its own pipes for addresses in its memory. Such a pipe
 * has both ends in this process, which only Linux tells.
 */
function isOfRuntime(fd: number): boolean {
  const kind = fstatSync(fd);
  // A descriptor that waits for events, such as epoll's, is not a file of any kind.
  if ((kind.mode & constants.S_IFMT) === 0) return true;
  if (!kind.isFIFO() || platform() !== 'linux') return false;
  return readdirSync('/proc/self/fd').some((name) => {
    try {
      const { dev, ino } = fstatSync(Number(name));
      const info = readFileSync(`/proc/self/fdinfo/${name}`, 'utf8');
      const [, flags = '0'] = /^flags:\s+(\d+)/m.exec(info) ?? [];
      const isRead = (Number.parseInt(flags, 8) & constants.O_WRONLY) === 0;
      return isRead && dev === kind.dev && ino === kind.ino;
    } catch {
      // It was closed meanwhile.
      return false;
    }
  });
}

/** A device or a named pipe, written directly. A regular file would lose its content that way. */
async function directFile(target: string): Promise<Output> {
  const handle = await open(target, constants.O_WRONLY);
  try {
    if ((await handle.stat()).isFile()) throw new Error('it was exchanged for a regular file');
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    write: (bytes) => writeFile(handle.fd, bytes),
    commit: () => handle.close(),
    discard: () => handle.close(),
  };
}

function standardOutput(): Output {
  const kind = fstatSync(process.stdout.fd);
  const isStream = process.stdout.isTTY || kind.isFIFO() || kind.isSocket();
  return withName('cannot write standard output', {
    // Node's own stream takes a short write to a file (the disk is almost full) for a whole one.
    write: (bytes) => (isStream ? writeStandardOutput(bytes) : writeFile(process.stdout.fd, bytes)),
    commit: () => Promise.resolve(),
    discard: () => Promise.resolve(),
  });
}

/** Writes all of `bytes` to a descriptor whose writes wait until they can go on. */
async function writeFile(fd: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeSome(fd, bytes, done, bytes.length - done, null);
    done += bytesWritten;
  }
}

/** Resolves when `data` has left the process; rejects when standard output is closed. */
function writeStandardOutput(data: Uint8Array): Promise<void> {
  return new Promise((done, fail) => {
    // The stream reports an error to the callback and as an event, which would end the process.
    process.stdout.once('error', fail);
    process.stdout.write(data, (error) => {
      if (error) return fail(error);
      process.stdout.off('error', fail);
      done();
    });
  });
}

/**
 * Prints `text`, for people, to standard output.
 * @throws ReaderGone when nobody reads it; Failure when it cannot be written
 */
export async function print(text: string): Promise<void> {
  const output = standardOutput();
  await output.write(new TextEncoder().encode(shown(text)));
  await output.commit();
}
