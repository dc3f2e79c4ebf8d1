/**
 * Who is sorting which memory. Two calls on the same array, from one sorter or from two, wait for
 * each other here instead of writing over one another. A call that only reads (argsort) waits for
 * writers, not for other readers.
 */

import type { TypedArray } from '@keysweep/core';

/** A stretch of a buffer that a call reads, or reads and writes. */
interface Stretch {
  readonly buffer: ArrayBufferLike;
  readonly begin: number;
  readonly end: number;
  readonly writes: boolean;
}

interface Claim {
  readonly stretches: readonly Stretch[];
  /** Resolves when the claim is given back. */
  readonly released: Promise<void>;
}

/** Claims held and waited for, by buffer. */
const claims = new Map<ArrayBufferLike, Set<Claim>>();

const collide = (a: Stretch, b: Stretch): boolean =>
  a.buffer === b.buffer && a.begin < b.end && b.begin < a.end && (a.writes || b.writes);

const conflicts = (a: Claim, b: Claim): boolean =>
  a.stretches.some((x) => b.stretches.some((y) => collide(x, y)));

/** Whether nobody sorts, nor waits to sort, anything in this buffer. */
export function isFree(buffer: ArrayBufferLike): boolean {
  return !claims.has(buffer);
}

/**
 * Claims the memory of `arrays`. `ready` is undefined when the memory is free now, else it resolves
 * once every earlier claim on it has been released: calls get their turn in the order in which they
 * came. `release` must be called once either way, and may be called early to give up waiting.
 */
export function claim(
  arrays: readonly TypedArray[],
  writes: boolean,
): { readonly ready: Promise<unknown> | undefined; readonly release: () => void } {
  let resolve: () => void = () => {};
  const released = new Promise<void>((done) => {
    resolve = done;
  });
  const stretches = arrays.map(({ buffer, byteOffset, byteLength }) => ({
    buffer,
    begin: byteOffset,
    end: byteOffset + byteLength,
    writes,
  }));
  const mine: Claim = { stretches, released };
  const earlier = new Set<Claim>();
  for (const { buffer } of stretches) {
    const others = claims.get(buffer) ?? new Set();
    for (const other of others) if (other !== mine && conflicts(mine, other)) earlier.add(other);
    claims.set(buffer, others.add(mine));
  }
  const release = (): void => {
    for (const { buffer } of stretches) {
      const others = claims.get(buffer);
      others?.delete(mine);
      if (others?.size === 0) claims.delete(buffer);
    }
    resolve();
  };
  const ready =
    earlier.size === 0 ? undefined : Promise.all([...earlier].map((other) => other.released));
  return { ready, release };
}
