/**
 * Locks on the memory that calls sort. If two calls use the same array, the second waits for the
 * first, even if they belong to different sorters. A call that only reads (argsort) waits for calls
 * that write, but not for others that read. Locks hold within one realm: a page, a worker, or a
 * thread of Node.
 */

import { bufferOf, type KeyArray, type TypedArray } from '@keysweep/core';
import type { CallMemory } from './check.js';

/** A range of a buffer that a call reads, or reads and writes. */
interface ByteRange {
  readonly buffer: ArrayBufferLike;
  readonly begin: number;
  readonly end: number;
  readonly isWritten: boolean;
}

interface Lock {
  readonly ranges: readonly ByteRange[];
  /** Resolves when the lock is released. */
  readonly released: Promise<void>;
}

/** Locks that are held or waited for, by buffer. */
type Locks = Map<ArrayBufferLike, Set<Lock>>;

/**
 * The global symbol under which locks are kept, once there are some. A variable of this module
 * would not do, because a program may load keysweep twice, as an ES module and as CommonJS. They
 * are a property of `Promise`, if programs may give it any, because a page's global object takes
 * some ten microseconds to say that it lacks a property.
 */
const LOCKS = Symbol.for('keysweep: memory locks');
const realm = (Object.isExtensible(Promise) ? Promise : globalThis) as { [LOCKS]?: Locks };

const overlap = (a: ByteRange, b: ByteRange): boolean =>
  a.buffer === b.buffer && a.begin < b.end && b.begin < a.end && (a.isWritten || b.isWritten);

const conflict = (a: Lock, b: Lock): boolean =>
  a.ranges.some((x) => b.ranges.some((y) => overlap(x, y)));

/** Whether no call holds or waits for a lock on any part of an array's buffer. */
export function isUnlocked(array: KeyArray): boolean {
  const locks = realm[LOCKS];
  return locks === undefined || locks.size === 0 || !locks.has(bufferOf(array));
}

/**
 * Checks that a call that cannot wait may go on at once.
 * @throws Error if another call holds or waits for a part of this call's memory.
 */
export function assertUnlocked(call: CallMemory): void {
  const own = rangesOf(call);
  for (const range of own) {
    for (const other of realm[LOCKS]?.get(range.buffer) ?? []) {
      if (!other.ranges.some((theirs) => overlap(range, theirs))) continue;
      throw new Error(
        'an asynchronous call is still at work on this memory; await that call before a ' +
          'synchronous one',
      );
    }
  }
}

/**
 * Runs `work` while the call's memory is locked. Calls that conflict run in the order in which they
 * came. If the call has to wait, it reports the phase 'queue'.
 * @throws the signal's reason if it aborts before `work` begins; whatever `work` throws.
 */
export async function withMemoryLock<T>(call: CallMemory, work: () => Promise<T>): Promise<T> {
  const { signal, onProgress } = call.request;
  if (signal?.aborted) throw signal.reason;
  const { ready, release } = lock(rangesOf(call));
  try {
    if (ready !== undefined) {
      onProgress?.({ phase: 'queue', completed: 0, total: 1 });
      // A page loads the code for aborts of such calls when there is one: few calls have to wait.
      if (signal === undefined) await ready;
      else await (await import('./abortable-wait.js')).abortableWait(ready, signal);
    }
    return await work();
  } finally {
    release();
  }
}

/** The memory that a call uses. */
function rangesOf({ request, out = [] }: CallMemory): ByteRange[] {
  const { columns, values, shape } = request;
  const isWritten = shape.operation !== 'argsort';
  const ranges: ByteRange[] = [];
  const add = (array: TypedArray | undefined, isWritten: boolean): void => {
    if (array === undefined) return;
    const { buffer, byteOffset, byteLength } = array;
    ranges.push({ buffer, begin: byteOffset, end: byteOffset + byteLength, isWritten });
  };
  for (const column of columns) add(column, isWritten);
  add(values, isWritten);
  for (const array of out) add(array, true);
  return ranges;
}

/**
 * Locks ranges of memory. `ready` is undefined if the memory is free now; otherwise it resolves
 * once every earlier lock that conflicts has been released. Call `release` once; you may do so
 * while the lock is still waiting.
 */
function lock(ranges: readonly ByteRange[]): {
  readonly ready: Promise<unknown> | undefined;
  readonly release: () => void;
} {
  let resolve: () => void = () => {};
  const released = new Promise<void>((done) => {
    resolve = done;
  });
  realm[LOCKS] ??= new Map();
  const locks = realm[LOCKS];
  const own: Lock = { ranges, released };
  const earlier = new Set<Lock>();
  for (const { buffer } of ranges) {
    const others = locks.get(buffer) ?? new Set();
    for (const other of others) if (other !== own && conflict(own, other)) earlier.add(other);
    locks.set(buffer, others.add(own));
  }
  const release = (): void => {
    for (const { buffer } of ranges) {
      const others = locks.get(buffer);
      others?.delete(own);
      if (others?.size === 0) locks.delete(buffer);
    }
    resolve();
  };
  const ready =
    earlier.size === 0 ? undefined : Promise.all([...earlier].map((other) => other.released));
  return { ready, release };
}
