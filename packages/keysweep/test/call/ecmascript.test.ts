/**
 * What ECMAScript says of `TypedArray.prototype.sort` and `toSorted`, held against ours.
 *
 * test262, the language's own suite, has 48 files on the two. 26 of them state facts that apply to
 * functions such as ours; each fact is a test here, in words and code of this project. The other 22
 * do not apply, because ours differ on purpose:
 *
 * - Ours are functions that take the array. So nothing is said of `this`, of being called as a
 *   method, or of the functions' own `name`, `length` and property descriptors.
 * - Ours take no comparator: a radix sort compares no keys. A function is a TypeError, and so is
 *   what is no options object. `{}` is one; the language refuses it, as a comparator. So nothing is
 *   said of when a comparator is called, what it returns, throws, detaches or resizes, nor of
 *   stability by it (`argsort` and `sortPairs` are stable).
 * - `sort` and `toSorted` are asynchronous: what the language throws they reject with. `sortSync`
 *   throws it.
 * - Immutable buffers are a proposal that no runtime has that we test.
 */

import { runInNewContext } from 'node:vm';
import { ARRAY_CLASSES, type ArrayClass } from '@keysweep/conformance/data';
import { keyTraits, type TypedArray } from '@keysweep/core';
import { sort, toSorted } from 'keysweep';
import { sortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';

type Sort = (keys: TypedArray, options?: never) => Promise<TypedArray>;

/** The functions that sort in place. */
const IN_PLACE: readonly (readonly [name: string, sort: Sort])[] = [
  ['sort', sort],
  ['sortSync', async (keys, options) => sortSync(keys, options)],
];
const ALL: typeof IN_PLACE = [...IN_PLACE, ['toSorted', toSorted]];

const isFloat = ({ keyType }: ArrayClass): boolean => keyTraits(keyType).kind === 'float';
const isSigned = ({ keyType }: ArrayClass): boolean => keyTraits(keyType).kind !== 'unsigned';
const isBigInt = ({ name }: ArrayClass): boolean => name.startsWith('Big');

/** New keys of a class, with these values. */
function keysOf(arrayClass: ArrayClass, values: readonly number[]): TypedArray {
  const keys = arrayClass.create(values.length);
  for (const [i, value] of values.entries()) {
    keys[i] = isBigInt(arrayClass) ? (BigInt(value) as never) : value;
  }
  return keys;
}

const valuesOf = (keys: TypedArray): number[] => Array.from(keys as ArrayLike<number>, Number);

/** Runs `work` while `object` has a property; then it has what it had. */
async function withProperty(
  object: object,
  name: PropertyKey,
  property: PropertyDescriptor,
  work: () => Promise<void>,
): Promise<void> {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { configurable: true, ...property });
  try {
    await work();
  } finally {
    if (before === undefined) Reflect.deleteProperty(object, name);
    else Object.defineProperty(object, name, before);
  }
}

const abstractPrototype = Object.getPrototypeOf(Uint8Array.prototype) as object;

describe.each(ALL)('%s', (_name, sorted) => {
  /** Sorts keys of every class that is `chosen`. */
  async function sorts(
    given: readonly number[],
    expected: readonly number[],
    chosen: (arrayClass: ArrayClass) => boolean = () => true,
  ): Promise<void> {
    for (const arrayClass of ARRAY_CLASSES.filter(chosen)) {
      const result = await sorted(keysOf(arrayClass, given));
      expect(valuesOf(result), arrayClass.name).toEqual(expected);
    }
  }

  it('puts descending, mixed and repeated numbers and bigints in order', async () => {
    await sorts([9, 7, 5, 2], [2, 5, 7, 9]);
    await sorts([6, 8, 1, 4], [1, 4, 6, 8]);
    await sorts([5, 8, 5, 1, 0, 1, 3], [0, 1, 1, 3, 5, 5, 8]);
  });

  it('puts numbers in order by value, not by their text', async () => {
    await sorts([30, 110, 4], [4, 30, 110]);
    await sorts([121, 44, 33, 12, 4, 3, 1], [1, 3, 4, 12, 33, 44, 121]);
  });

  it('puts −0 before +0 in floats, and has one zero in integers', async () => {
    await sorts([2, 0, -0, 1], [-0, 0, 1, 2], isFloat);
    await sorts([2, 0, 0, 1], [0, 0, 1, 2], (arrayClass) => !isFloat(arrayClass));
  });

  it('puts negative numbers and bigints before positive ones', async () => {
    await sorts([-9, 6, 9, -6, 3, -3, 1, 0], [-9, -6, -3, 0, 1, 3, 6, 9], isSigned);
  });

  it('puts fractions and infinities in order', async () => {
    await sorts([0.25, 0, 2.5, 2], [0, 0.25, 2, 2.5], isFloat);
    await sorts([0.25, 0, 2.5, -0.25, -2, -2.5, 2], [-2.5, -2, -0.25, 0, 0.25, 2, 2.5], isFloat);
    const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
    await sorts([5, 6, most, least, 1, 3], [least, 1, 3, 5, 6, most], isFloat);
  });

  it('puts every NaN last', async () => {
    const { NaN: nan, POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
    await sorts([4, nan, nan, 0, 3], [0, 3, 4, nan, nan], isFloat);
    await sorts([7, nan, nan, most, 0, least, 4], [least, 0, 4, 7, most, nan, nan], isFloat);
  });

  it('makes no text of numbers or bigints: toString is not called', async () => {
    for (const prototype of [Number.prototype, BigInt.prototype]) {
      let calls = 0;
      const value = (): string => `${calls++}`;
      await withProperty(prototype, 'toString', { value, writable: true }, () =>
        sorts([30, 110, 4], [4, 30, 110]),
      );
      expect(calls).toBe(0);
    }
  });

  it('takes undefined for nothing given', async () => {
    for (const arrayClass of ARRAY_CLASSES) {
      const keys = keysOf(arrayClass, [52, 54, 56, 53, 55]);
      const explicit = valuesOf(await sorted(keys, undefined as never));
      expect(explicit).toEqual([52, 53, 54, 55, 56]);
      expect(valuesOf(await sorted(keys))).toEqual(explicit);
    }
  });

  it('refuses what are no options with a TypeError, and writes nothing', async () => {
    const wrong = [null, true, false, '', 'up', /a/g, 42, 42n, [], Symbol('s'), () => 0];
    for (const arrayClass of ARRAY_CLASSES) {
      const keys = keysOf(arrayClass, [52, 51, 50]);
      for (const options of wrong) {
        await expect(sorted(keys, options as never), String(options)).rejects.toThrow(TypeError);
      }
      expect(valuesOf(keys)).toEqual([52, 51, 50]);
    }
  });

  it('refuses anything but an object with a TypeError', async () => {
    for (const keys of [undefined, null, 42, '321', true, false, 1n, Symbol('s')]) {
      await expect(sorted(keys as never), String(keys)).rejects.toThrow(TypeError);
    }
    await expect((sorted as () => Promise<unknown>)()).rejects.toThrow(TypeError);
  });

  it('refuses objects that are no typed arrays with a TypeError', async () => {
    const buffer = new ArrayBuffer(8);
    const likeOne = { 0: 3, 1: 1, length: 2 };
    const prototypes = [Uint8Array.prototype, abstractPrototype];
    for (const keys of [{}, [3, 1], likeOne, buffer, new DataView(buffer), ...prototypes]) {
      await expect(sorted(keys as never)).rejects.toThrow(TypeError);
    }
    expect(likeOne).toEqual({ 0: 3, 1: 1, length: 2 });
  });

  it('refuses an array whose buffer is detached with a TypeError', async () => {
    for (const arrayClass of ARRAY_CLASSES) {
      for (const length of [0, 1, 3]) {
        const keys = arrayClass.create(length);
        structuredClone(keys.buffer, { transfer: [keys.buffer as ArrayBuffer] });
        await expect(sorted(keys), arrayClass.name).rejects.toThrow(TypeError);
      }
    }
  });

  it('takes an array while its buffer holds it, and gives a TypeError after', async () => {
    for (const arrayClass of ARRAY_CLASSES) {
      const { bytes } = arrayClass;
      const buffer = new ArrayBuffer(4 * bytes, { maxByteLength: 5 * bytes });
      const keys = arrayClass.create(buffer, bytes, 2);
      for (const size of [5, 3]) {
        buffer.resize(size * bytes);
        keys.set(keysOf(arrayClass, [7, 5]) as never);
        expect(valuesOf(await sorted(keys)), arrayClass.name).toEqual([5, 7]);
      }
      buffer.resize(3 * bytes - 1);
      await expect(sorted(keys), arrayClass.name).rejects.toThrow(TypeError);
    }
  });

  it('goes by the array, not by a property length of it or its prototypes', async () => {
    for (const arrayClass of ARRAY_CLASSES) {
      for (const length of [0, 2, 5]) {
        let reads = 0;
        const property = {
          get: () => {
            reads++;
            return length;
          },
        };
        const { prototype } = arrayClass.create(0).constructor as { prototype: object };
        const own = keysOf(arrayClass, [8, 6, 7]);
        for (const object of [own, prototype, abstractPrototype]) {
          const keys = object === own ? own : keysOf(arrayClass, [8, 6, 7]);
          const results: TypedArray[] = [];
          await withProperty(object, 'length', property, async () => {
            results.push(await sorted(keys));
          });
          expect(reads, `${arrayClass.name}, ${length}`).toBe(0);
          Reflect.deleteProperty(own, 'length');
          expect(valuesOf(results[0] as TypedArray)).toEqual([6, 7, 8]);
        }
      }
    }
  });
});

describe.each(IN_PLACE)('%s, in place,', (_name, sorted) => {
  it('gives the array that it was given', async () => {
    for (const arrayClass of ARRAY_CLASSES) {
      const keys = keysOf(arrayClass, [2, 1]);
      expect(await sorted(keys)).toBe(keys);
    }
  });

  it('sorts what a view of a resizable buffer holds now, and nothing beside', async () => {
    for (const arrayClass of ARRAY_CLASSES) {
      const { bytes, create } = arrayClass;
      const buffer = new ArrayBuffer(4 * bytes, { maxByteLength: 8 * bytes });
      const whole = create(buffer, 0);
      const views = {
        fixed: create(buffer, 0, 4),
        fixedBehind: create(buffer, 2 * bytes, 2),
        following: create(buffer, 0),
        followingBehind: create(buffer, 2 * bytes),
      };
      /** What the buffer holds after each view was sorted; undefined for a TypeError. */
      const expectSorted = async (
        expected: Readonly<Record<keyof typeof views, readonly number[] | undefined>>,
      ): Promise<void> => {
        for (const [name, view] of Object.entries(views)) {
          for (let i = 0; i < whole.length; i++) {
            const value = 2 * (9 - i);
            whole[i] = isBigInt(arrayClass) ? (BigInt(value) as never) : value;
          }
          const what = `${arrayClass.name}, ${name}`;
          const result = expected[name as keyof typeof views];
          if (result === undefined) await expect(sorted(view), what).rejects.toThrow(TypeError);
          else {
            await sorted(view);
            expect(valuesOf(whole), what).toEqual(result);
          }
        }
      };
      const four = { fixed: [12, 14, 16, 18], fixedBehind: [18, 16, 12, 14] };
      await expectSorted({ ...four, following: four.fixed, followingBehind: four.fixedBehind });
      const gone = { fixed: undefined, fixedBehind: undefined };
      buffer.resize(3 * bytes);
      await expectSorted({ ...gone, following: [14, 16, 18], followingBehind: [18, 16, 14] });
      buffer.resize(bytes);
      await expectSorted({ ...gone, following: [18], followingBehind: undefined });
      buffer.resize(0);
      await expectSorted({ ...gone, following: [], followingBehind: undefined });
      buffer.resize(6 * bytes);
      await expectSorted({
        fixed: [12, 14, 16, 18, 10, 8],
        fixedBehind: [18, 16, 12, 14, 10, 8],
        following: [8, 10, 12, 14, 16, 18],
        followingBehind: [18, 16, 8, 10, 12, 14],
      });
    }
  });
});

describe('toSorted', () => {
  it('leaves the array as it is, and gives another one', async () => {
    for (const arrayClass of ARRAY_CLASSES) {
      const keys = keysOf(arrayClass, [8, 6, 7]);
      const result = await toSorted(keys);
      expect(result).not.toBe(keys);
      expect(valuesOf(keys)).toEqual([8, 6, 7]);
      expect(valuesOf(result)).toEqual([6, 7, 8]);
    }
  });

  it('gives an array of the same class, whatever its constructor or species says', async () => {
    for (const arrayClass of ARRAY_CLASSES) {
      const other = arrayClass.name === 'Uint8Array' ? Int32Array : Uint8Array;
      const { prototype } = arrayClass.create(0).constructor as { prototype: object };
      const thrower = {
        get: () => {
          throw new Error('the constructor was asked for');
        },
      };
      for (const property of [{ value: other }, { value: { [Symbol.species]: other } }, thrower]) {
        for (const values of [[], [8, 6, 7]]) {
          const keys = keysOf(arrayClass, values);
          Object.defineProperty(keys, 'constructor', property);
          const result = await toSorted(keys);
          expect(Object.getPrototypeOf(result), arrayClass.name).toBe(prototype);
          expect(valuesOf(result)).toEqual(values.slice().sort());
        }
      }
      class Special extends (arrayClass.create(0).constructor as typeof Uint8Array) {}
      const special = await toSorted(new Special(3));
      expect(Object.getPrototypeOf(special)).toBe(prototype);
    }
    const foreign = runInNewContext('Float64Array.of(2, 1)') as Float64Array;
    expect(Object.getPrototypeOf(await toSorted(foreign))).toBe(Float64Array.prototype);
  });
});
