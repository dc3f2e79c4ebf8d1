/** Results that are written while others are being sorted, by steps that are taken by hand. */

import { makeRequest } from '@keysweep/conformance/suite';
import { COPY_BYTES, type Progress, runAtOnce, type SortRequest } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commits } from '../src/sort/early-commit.js';

/** Keys of one step of a copy. */
const STEP = COPY_BYTES / 4;
const LENGTH = 2 * STEP + 5;

const sorted = Uint32Array.from({ length: LENGTH }, (_, i) => 2 * i);

/** A sort of keys in reverse order, whose results `bits` are there. */
function early({ wide = false, begin = () => {} } = {}) {
  const told: string[] = [];
  const keys = wide ? BigUint64Array.from(sorted.toReversed(), BigInt) : sorted.toReversed();
  const request: SortRequest = {
    ...makeRequest('sort', [keys]),
    onCommit: () => void told.push('commit'),
    onProgress: () => expect.unreachable(),
  };
  const bits = wide ? new Uint32Array(BigUint64Array.from(sorted, BigInt).buffer) : sorted;
  const result = { name: 'keys', target: keys, length: LENGTH, bits };
  const commit = commits.early(request, result, sorted.toReversed(), () => {
    told.push('begin');
    begin();
  });
  return { keys, request, result, commit, told };
}

/** How many of the first keys are in place. */
function placed(keys: Uint32Array | BigUint64Array): number {
  // The upper halves of these keys are 0.
  const words = new Uint32Array(keys.buffer);
  const step = words.length / LENGTH;
  let count = 0;
  while (count < LENGTH && words[count * step] === sorted[count]) count++;
  return count;
}

/** As `toEqual`, which looks at one element after the other. */
const isSame = (a: Uint32Array | BigUint64Array, b: Uint32Array): boolean =>
  Buffer.from(a.buffer).equals(Buffer.from(b.buffer));

describe('a result that is written early', () => {
  it('is written by whole steps, once their keys are in place', () => {
    const { keys, commit, told } = early();
    commit.onPlaced?.(0);
    commit.onPlaced?.(STEP - 1);
    expect([commit.isBegun, told, placed(keys)]).toEqual([false, [], 0]);
    commit.onPlaced?.(STEP);
    expect([commit.isBegun, told]).toEqual([true, ['begin', 'commit']]);
    const first = placed(keys);
    expect(first).toBeLessThanOrEqual(STEP);
    commit.onPlaced?.(STEP);
    expect(placed(keys)).toBe(first);
    commit.onPlaced?.(2 * STEP + 1);
    expect(placed(keys)).toBeGreaterThan(first);
    expect(placed(keys)).toBeLessThanOrEqual(2 * STEP);
    runAtOnce(commit.rest());
    expect(isSame(keys, sorted)).toBe(true);
    expect(told).toEqual(['begin', 'commit']);
  });

  it('counts words, of which 64-bit keys have two', () => {
    const { keys, commit } = early({ wide: true });
    commit.onPlaced?.(STEP / 2 - 1);
    expect(commit.isBegun).toBe(false);
    commit.onPlaced?.(STEP / 2);
    expect(commit.isBegun).toBe(true);
    expect(placed(keys)).toBeLessThanOrEqual(STEP / 2);
    runAtOnce(commit.rest());
    expect(placed(keys)).toBe(LENGTH);
  });

  it('is written whole at the end if nothing was written before', () => {
    const { keys, commit, told } = early();
    runAtOnce(commit.rest());
    expect([placed(keys), told]).toEqual([LENGTH, ['begin', 'commit']]);
  });

  it('is sorted once more from all keys if threads are lost', () => {
    const { keys, commit } = early();
    commit.onPlaced?.(2 * STEP);
    runAtOnce(commit.alone());
    expect(isSame(keys, sorted)).toBe(true);
  });

  it('is an order of rows by the keys of the caller, likewise', () => {
    const keys = sorted.toReversed();
    const out = new Uint32Array(LENGTH);
    const request = { ...makeRequest('argsort', [keys]), out };
    const rows = Uint32Array.from({ length: LENGTH }, (_, i) => LENGTH - 1 - i);
    const result = { name: 'out', target: out, length: LENGTH, bits: rows };
    const commit = commits.early(request, result, new Uint32Array(0), () => {});
    commit.onPlaced?.(STEP);
    expect(commit.isBegun).toBe(true);
    runAtOnce(commit.alone());
    expect(isSame(out, rows)).toBe(true);
    expect(isSame(keys, sorted.toReversed())).toBe(true);
  });

  it('keeps what kept it from being written, and writes nothing', () => {
    const error = new Error('enough');
    const { keys, commit } = early({
      begin() {
        throw error;
      },
    });
    for (const end of [STEP, 2 * STEP]) commit.onPlaced?.(end);
    expect(commit.isBegun).toBe(true);
    expect(() => runAtOnce(commit.rest())).toThrow(error);
    expect(() => runAtOnce(commit.alone())).toThrow(error);
    expect(isSame(keys, sorted.toReversed())).toBe(true);
    const detached = early();
    structuredClone(detached.keys.buffer, { transfer: [detached.keys.buffer as ArrayBuffer] });
    detached.commit.onPlaced?.(STEP);
    expect(() => runAtOnce(detached.commit.rest())).toThrow(TypeError);
  });
});

describe('results on shared memory', () => {
  interface Hooks {
    begin?(): void;
    onCommit?(): void;
    last?: Uint32Array;
  }

  function shared({ begin = () => {}, onCommit = () => {}, last }: Hooks = {}) {
    const keys = new Uint32Array(new SharedArrayBuffer(4 * LENGTH));
    keys.set(sorted.toReversed());
    const asked: (readonly number[])[] = [];
    const calls: string[] = [];
    const request: SortRequest = {
      ...makeRequest('sort', [keys]),
      onCommit() {
        calls.push('commit');
        onCommit();
      },
    };
    const bits = sorted.slice();
    const resultsAt = (at: readonly number[]) => {
      asked.push(at);
      const result = { name: 'keys', target: keys, length: LENGTH, bits };
      return last === undefined ? [result] : [result, { ...result, name: 'values', target: last }];
    };
    const commit = commits.shared(request, resultsAt, () => {
      calls.push('begin');
      begin();
    });
    return { keys, bits, commit, asked, calls };
  }

  it('are written by threads, once that is decided', () => {
    const { keys, commit, asked, calls } = shared();
    expect(commit.isBegun).toBe(false);
    expect(commit.mayWrite?.({ isSorted: true, at: [64] })).toBe('write');
    expect(commit.isBegun).toBe(true);
    // What is decided stays so, and nobody is told twice.
    expect(commit.mayWrite?.({ isSorted: false, at: [128] })).toBe('write');
    expect([asked, calls]).toEqual([[[64]], ['begin', 'commit']]);
    expect([...commit.rest()]).toEqual([]);
    expect(isSame(keys, sorted.toReversed())).toBe(true);
  });

  it('are finished without threads: copied if they are sorted, else sorted', () => {
    const copied = shared();
    copied.commit.mayWrite?.({ isSorted: true, at: [64] });
    runAtOnce(copied.commit.alone());
    expect(placed(copied.keys)).toBe(LENGTH);
    expect(copied.asked).toEqual([[64], [64]]);
    expect(copied.calls).toEqual(['begin', 'commit']);
    const mixed = shared();
    mixed.bits.reverse();
    mixed.commit.mayWrite?.({ isSorted: false, at: [128] });
    runAtOnce(mixed.commit.alone());
    expect(placed(mixed.keys)).toBe(LENGTH);
    expect(mixed.calls).toEqual(['begin', 'commit']);
  });

  it('are left if an array has grown or lost its memory meanwhile', () => {
    const grown = new Uint32Array(new SharedArrayBuffer(4 * LENGTH + 4));
    const detached = new Uint32Array(new ArrayBuffer(4 * LENGTH));
    structuredClone(detached.buffer, { transfer: [detached.buffer as ArrayBuffer] });
    for (const target of [grown, detached]) {
      // The last of several results: each of them is looked at.
      const { commit, calls } = shared({ last: target });
      for (let i = 0; i < 2; i++) {
        expect(commit.mayWrite?.({ isSorted: true, at: [64, 128] })).toBe('leave');
      }
      expect(calls).toEqual(['begin']);
      expect(() => runAtOnce(commit.rest())).toThrow(TypeError);
      expect(() => runAtOnce(commit.alone())).toThrow(/^values /);
    }
  });

  it('are left if the request cannot go on', () => {
    const error = new Error('enough');
    const fail = () => {
      throw error;
    };
    for (const options of [{ begin: fail }, { onCommit: fail }]) {
      const { keys, commit } = shared(options);
      for (let i = 0; i < 2; i++) {
        expect(commit.mayWrite?.({ isSorted: true, at: [64] })).toBe('leave');
      }
      expect(commit.isBegun).toBe(true);
      expect(() => runAtOnce(commit.rest())).toThrow(error);
      expect(() => runAtOnce(commit.alone())).toThrow(error);
      expect(placed(keys)).toBe(0);
    }
  });
});

describe('progress', () => {
  it('goes over all columns, and never back', async () => {
    const backend = cpu({ threads: 1, threadsFrom: 1 });
    onTestFinished(() => backend.close());
    const n = 5000;
    const column = (m: number) => Uint32Array.from({ length: n }, (_, i) => Math.imul(i, m) >>> 0);
    const stepsOf = async (request: SortRequest): Promise<string[]> => {
      const steps: string[] = [];
      const onProgress = ({ phase, completed, total }: Progress) =>
        void steps.push(`${phase} ${completed}/${total}`);
      await backend.sort({ ...request, onProgress });
      return steps.filter((step, i) => step !== steps[i - 1]);
    };
    const numbers = 0x9e3779b1;
    await stepsOf(makeRequest('sort', [column(numbers)]));
    expect(await stepsOf(makeRequest('sort', [column(numbers)]))).toEqual([
      ...[`upload ${n}/${n}`, `sort ${n}/${n}`, `readback 0/${n}`],
    ]);
    const two = [column(numbers), column(3)] as const;
    expect(await stepsOf(makeRequest('argsort', [...two]))).toEqual([
      ...[`upload ${n}/${2 * n}`, `sort ${n}/${2 * n}`, `upload ${2 * n}/${2 * n}`],
      ...[`sort ${2 * n}/${2 * n}`, `readback 0/${n}`],
    ]);
    const pairs = makeRequest('sortPairs', [column(numbers)], { values: column(5) });
    expect(await stepsOf(pairs)).toEqual([
      ...[`upload ${n}/${n}`, `sort ${n}/${n}`, `readback 0/${n}`],
    ]);
  });
});
