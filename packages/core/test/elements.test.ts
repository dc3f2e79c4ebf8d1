import { runInNewContext } from 'node:vm';
import {
  bitsOf,
  copyOf,
  KEY_TYPES,
  type KeyType,
  keyTraits,
  keyTypeOf,
  plainView,
  type TypedArray,
  traitsOf,
  typedArrayName,
} from '@keysweep/core';
import { describe, expect, it, test } from 'vitest';

const CLASS_NAMES: [name: string, keyType: KeyType][] = [
  ['Uint8Array', 'u8'],
  ['Uint8ClampedArray', 'u8'],
  ['Int8Array', 'i8'],
  ['Uint16Array', 'u16'],
  ['Int16Array', 'i16'],
  ['Float16Array', 'f16'],
  ['Uint32Array', 'u32'],
  ['Int32Array', 'i32'],
  ['Float32Array', 'f32'],
  ['BigUint64Array', 'u64'],
  ['BigInt64Array', 'i64'],
  ['Float64Array', 'f64'],
];

test('there are eleven key types', () => {
  expect([...KEY_TYPES].sort()).toEqual([...new Set(CLASS_NAMES.map(([, type]) => type))].sort());
  expect(KEY_TYPES).toHaveLength(11);
});

test('kinds and widths', () => {
  for (const keyType of KEY_TYPES) {
    const { kind, bits, keyType: own } = keyTraits(keyType);
    expect(own).toBe(keyType);
    expect(kind).toBe({ u: 'unsigned', i: 'signed', f: 'float' }[keyType[0] as 'u' | 'i' | 'f']);
    expect(bits).toBe(Number(keyType.slice(1)));
  }
});

describe.each(CLASS_NAMES)('%s', (name, keyType) => {
  const missing = !(name in globalThis);

  it('is known in this realm', (ctx) => {
    if (missing) ctx.skip(`this runtime has no ${name}`);
    const array = new (globalThis as never as Record<string, new (n: number) => TypedArray>)[name]!(
      3,
    );
    expect(typedArrayName(array)).toBe(name);
    expect(keyTypeOf(array)).toBe(keyType);
    expect(traitsOf(array)).toBe(keyTraits(keyType));
    expect(array.BYTES_PER_ELEMENT * 8).toBe(keyTraits(keyType).bits);
  });

  it('is known from another realm, and copied into this one', (ctx) => {
    if (missing) ctx.skip(`this runtime has no ${name}`);
    const Class = (globalThis as never as Record<string, new () => TypedArray>)[name]!;
    const foreign = runInNewContext(`new ${name}(4)`) as TypedArray;
    expect(foreign).not.toBeInstanceOf(Class);
    bitsOf(foreign).fill(0x7f, 1);
    expect(keyTypeOf(foreign)).toBe(keyType);
    const copy = copyOf(foreign);
    expect(copy).toBeInstanceOf(Class);
    expect([...bitsOf(copy)]).toEqual([...bitsOf(foreign)]);
  });
});

describe('keyTypeOf is undefined for', () => {
  const impostors: [what: string, value: unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['a number', 1],
    ['a string', 'Uint8Array'],
    ['a plain array', [3, 1, 2]],
    ['an ArrayBuffer', new ArrayBuffer(8)],
    ['a DataView', new DataView(new ArrayBuffer(8))],
    ['an object with the tag', { [Symbol.toStringTag]: 'Uint8Array', length: 0 }],
    ['an object with the prototype', Object.create(Uint8Array.prototype)],
    ['a proxy', new Proxy(new Uint8Array(2), {})],
    ['the class', Uint8Array],
  ];
  it.each(impostors)('%s', (_, value) => {
    expect(typedArrayName(value)).toBeUndefined();
    expect(keyTypeOf(value)).toBeUndefined();
  });
});

test('a subclass has the key type of the class that it extends, whatever its tag', () => {
  class Salaries extends Int32Array {
    override get [Symbol.toStringTag](): 'Int32Array' {
      return 'Float64Array' as 'Int32Array';
    }
  }
  expect(keyTypeOf(new Salaries(1))).toBe('i32');
});

describe('bitsOf', () => {
  it('shows 64-bit keys as two words, low first', () => {
    const bits = bitsOf(BigUint64Array.of(0x1122_3344_5566_7788n, 1n));
    expect([...bits]).toEqual([0x5566_7788, 0x1122_3344, 1, 0]);
    expect([...bitsOf(Float64Array.of(-0))]).toEqual([0, 0x8000_0000]);
  });

  it('shows signed and float keys as unsigned', () => {
    expect([...bitsOf(Int8Array.of(-1))]).toEqual([0xff]);
    expect([...bitsOf(Int16Array.of(-2))]).toEqual([0xfffe]);
    expect([...bitsOf(Float32Array.of(1))]).toEqual([0x3f80_0000]);
  });

  it.each([ArrayBuffer, SharedArrayBuffer])('is the same memory, no more of it: %o', (Buffer) => {
    const buffer = new Buffer(32);
    const bits = bitsOf(new Int16Array(buffer, 6, 5));
    expect(bits.buffer).toBe(buffer);
    expect([bits.byteOffset, bits.length]).toEqual([6, 5]);
  });

  it('follows a resizable buffer to its present length', () => {
    const buffer = new ArrayBuffer(8, { maxByteLength: 32 });
    const keys = new Float64Array(buffer);
    buffer.resize(24);
    expect(bitsOf(keys)).toHaveLength(6);
  });
});

describe('copyOf', () => {
  it('keeps every bit, on memory of its own', () => {
    const original = new Float32Array(Uint32Array.of(0xffc0_0001, 0x7f80_0001, 0x8000_0000).buffer);
    const copy = copyOf(original);
    expect([...bitsOf(copy)]).toEqual([0xffc0_0001, 0x7f80_0001, 0x8000_0000]);
    expect(copy.buffer).not.toBe(original.buffer);
  });

  it('copies only the view, from shared memory to ordinary memory', () => {
    const shared = new BigInt64Array(new SharedArrayBuffer(40), 8, 2).fill(-5n);
    const copy = copyOf(shared);
    expect(copy).toEqual(BigInt64Array.of(-5n, -5n));
    expect(copy.buffer).toBeInstanceOf(ArrayBuffer);
    expect(copy.buffer.byteLength).toBe(16);
  });

  it('copies a resizable array to one of fixed length', () => {
    const copy = copyOf(new Uint8Array(new ArrayBuffer(4, { maxByteLength: 8 })));
    expect((copy.buffer as ArrayBuffer).resizable).toBe(false);
  });
});

describe('plainView', () => {
  it('is a view of the same memory, of the class itself', () => {
    class Special extends Int16Array {}
    const buffer = new ArrayBuffer(16);
    for (const array of [new Int16Array(buffer, 4, 3), new Special(buffer, 4, 3)]) {
      const view = plainView(array);
      expect(view).not.toBe(array);
      expect(Object.getPrototypeOf(view)).toBe(Int16Array.prototype);
      expect([view.buffer, view.byteOffset, view.length]).toEqual([buffer, 4, 3]);
    }
    const foreign = plainView(runInNewContext('Float64Array.of(7)') as Float64Array);
    expect(foreign).toEqual(Float64Array.of(7));
    expect(foreign).toBeInstanceOf(Float64Array);
  });

  it("follows a resizable buffer's length if the array does", () => {
    const buffer = new ArrayBuffer(8, { maxByteLength: 16 });
    const [following, fixed] = [new Uint8Array(buffer, 2), new Uint8Array(buffer, 2, 6)];
    const views = [plainView(following), plainView(fixed)];
    buffer.resize(12);
    expect(views.map(({ length }) => length)).toEqual([10, 6]);
    buffer.resize(4);
    expect(views.map(({ length }) => length)).toEqual([2, 0]);
    expect(() => plainView(fixed)).toThrow(TypeError);
  });

  it('throws a TypeError for a detached array, an empty one too', () => {
    for (const length of [0, 4]) {
      const array = new Uint8Array(length);
      structuredClone(array.buffer, { transfer: [array.buffer] });
      expect(() => plainView(array)).toThrow(TypeError);
    }
  });
});
