import { assertUnchanged, bitsOf, commit, commitSteps, type TypedArray } from '@keysweep/core';
import { describe, expect, it, test } from 'vitest';

const result = (
  name: string,
  target: TypedArray,
  bits: Uint8Array | Uint16Array | Uint32Array,
) => ({
  name,
  target,
  length: target.length,
  bits,
});

describe('commit', () => {
  it('writes signed and float targets bit for bit', () => {
    const bytes = new Int8Array(3);
    const floats = new Float32Array(3);
    commit([
      result('keys', bytes, Uint8Array.of(0x80, 0xff, 0x7f)),
      result('values', floats, Uint32Array.of(0x8000_0000, 0x7f80_0001, 0xffc0_0002)),
    ]);
    expect([...bytes]).toEqual([-128, -1, 127]);
    // A signalling NaN would have become a quiet one as a number.
    expect([...bitsOf(floats)]).toEqual([0x8000_0000, 0x7f80_0001, 0xffc0_0002]);
  });

  it('takes wide words modulo the width of the target', () => {
    const shorts = new Int16Array(2);
    const clamped = new Uint8ClampedArray(2);
    commit([
      result('keys', shorts, Uint32Array.of(0x1_fffe, 7)),
      result('values', clamped, Uint32Array.of(0x1ff, 0x101)),
    ]);
    expect([...shorts]).toEqual([-2, 7]);
    expect([...clamped]).toEqual([255, 1]);
  });

  it('writes 64-bit targets from two words each, low first', () => {
    const big = new BigInt64Array(2);
    const doubles = new Float64Array(1);
    commit([
      result('keys', big, Uint32Array.of(0xffff_fffe, 0xffff_ffff, 0, 1)),
      result('values', doubles, Uint32Array.of(1, 0x7ff0_0000)),
    ]);
    expect([...big]).toEqual([-2n, 1n << 32n]);
    expect([...bitsOf(doubles)]).toEqual([1, 0x7ff0_0000]);
  });

  it('writes a view and leaves its neighbours', () => {
    const buffer = new Uint8Array(12).fill(9);
    commit([result('keys', new Int16Array(buffer.buffer, 4, 2), Uint16Array.of(0x102, 0x304))]);
    expect([...buffer]).toEqual([9, 9, 9, 9, 2, 1, 4, 3, 9, 9, 9, 9]);
  });

  it('writes several pieces one after the other', () => {
    const shorts = new Int16Array(4);
    const doubles = new Float64Array(2);
    commit([
      {
        name: 'keys',
        target: shorts,
        length: 4,
        bits: [Uint16Array.of(1, 2, 3), Uint16Array.of(4)],
      },
      {
        name: 'values',
        target: doubles,
        length: 2,
        bits: [Uint32Array.of(1), Uint32Array.of(2, 3), new Uint32Array(0), Uint32Array.of(4)],
      },
    ]);
    expect([...shorts]).toEqual([1, 2, 3, 4]);
    expect([...bitsOf(doubles)]).toEqual([1, 2, 3, 4]);
  });

  const changes: [what: string, change: (array: Uint8Array<ArrayBuffer>) => void, says: RegExp][] =
    [
      [
        'detached',
        ({ buffer }) => void structuredClone(buffer, { transfer: [buffer] }),
        /detached/,
      ],
      ['emptied', ({ buffer }) => buffer.resize(0), /emptied/],
      ['shrunk', ({ buffer }) => buffer.resize(3), /from 4 to 3/],
      ['grown', ({ buffer }) => buffer.resize(6), /from 4 to 6/],
    ];
  it.each(changes)('writes nothing when the last target was %s', (_, change, says) => {
    const keys = Uint8Array.of(1, 2, 3, 4);
    const values = new Uint8Array(new ArrayBuffer(4, { maxByteLength: 8 }));
    const results = [
      result('keys', keys, Uint8Array.of(9, 9, 9, 9)),
      result('values', values, Uint8Array.of(9, 9, 9, 9)),
    ];
    change(values);
    expect(() => commit(results)).toThrow(TypeError);
    expect(() => commit(results)).toThrow(/^values was/);
    expect(() => commit(results)).toThrow(says);
    expect([...keys]).toEqual([1, 2, 3, 4]);
    if (values.length > 0) expect([...values].every((value) => value === 0)).toBe(true);
  });

  it('throws when a view of fixed length lies outside its buffer now', () => {
    const buffer = new ArrayBuffer(8, { maxByteLength: 8 });
    const keys = new Uint8Array(buffer, 2, 4);
    const results = [result('keys', keys, new Uint8Array(4))];
    buffer.resize(5);
    expect(() => commit(results)).toThrow(TypeError);
  });

  it('writes nothing when an empty target was detached beside others', () => {
    const keys = Uint8Array.of(1);
    const empty = new Uint8Array(0);
    structuredClone(empty.buffer, { transfer: [empty.buffer] });
    const results = [
      result('keys', keys, Uint8Array.of(9)),
      result('values', empty, new Uint8Array(0)),
    ];
    expect(() => commit(results)).toThrow(TypeError);
    expect([...keys]).toEqual([1]);
  });
});

test('assertUnchanged names the argument and both lengths', () => {
  expect(() => assertUnchanged('keys', new Uint8Array(3), 3)).not.toThrow();
  expect(() => assertUnchanged('column 2', new Uint8Array(3), 5)).toThrow(
    'column 2 was resized from 5 to 3 elements while it was being sorted',
  );
});

describe('commitSteps', () => {
  /** More than a step of a mebibyte holds. */
  const LENGTH = 2 ** 19;
  const ones = new Uint32Array(LENGTH).fill(1);
  /** Compares the bits of large arrays; `toEqual` takes seconds for them. */
  const isSame = (a: TypedArray, b: TypedArray): boolean =>
    Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(
      Buffer.from(b.buffer, b.byteOffset, b.byteLength),
    );

  it('writes all arrays a mebibyte at a time', () => {
    const [keys, values] = [new Uint32Array(LENGTH), new Float32Array(LENGTH)];
    let steps = 0;
    for (const _ of commitSteps([result('keys', keys, ones), result('values', values, ones)])) {
      steps++;
    }
    expect(steps).toBe(2);
    expect(isSame(keys, ones)).toBe(true);
    expect(isSame(values, ones)).toBe(true);
  });

  it('checks all arrays before the first is written', () => {
    const keys = new Uint32Array(LENGTH);
    const gone = { ...result('values', new Uint32Array(1), ones), length: LENGTH };
    const steps = commitSteps([result('keys', keys, ones), gone]);
    expect(() => steps.next()).toThrow(/values was resized/);
    expect(keys[0]).toBe(0);
  });

  it('throws a TypeError when an array is detached between two steps', () => {
    const keys = new Uint32Array(LENGTH);
    const steps = commitSteps([result('keys', keys, ones)]);
    steps.next();
    structuredClone(keys.buffer, { transfer: [keys.buffer] });
    expect(() => steps.next()).toThrow(
      new TypeError('keys was detached or shrunk while its result was being copied in'),
    );
  });

  it('goes on when an array grows between two steps', () => {
    const buffer = new ArrayBuffer(4 * LENGTH, { maxByteLength: 8 * LENGTH });
    const keys = new Uint32Array(buffer);
    const steps = commitSteps([result('keys', keys, ones)]);
    steps.next();
    buffer.resize(8 * LENGTH);
    expect(steps.next().done).toBe(true);
    expect(isSame(keys.subarray(0, LENGTH), ones)).toBe(true);
  });

  it('calls onCommit once, before the first write, and not without a write', () => {
    const target = new Uint32Array(2 ** 19);
    const whole = result('keys', target, new Uint32Array(2 ** 19).fill(7));
    const written: (number | undefined)[] = [];
    const steps = commitSteps([whole, whole], () => written.push(target[0]));
    expect(written).toEqual([]);
    for (const _ of steps);
    expect(written).toEqual([0]);
    const gone = commitSteps([{ ...whole, length: 1 }], () => written.push(1));
    expect(() => gone.next()).toThrow(/resized/);
    expect(written.length).toBe(1);
  });
});
