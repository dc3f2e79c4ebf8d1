/** Code of the caller's program that is on its arrays, its options or its prototypes. */

import { randomKeys } from '@keysweep/conformance/data';
import { bitLength, type KeyArray, type TypedArray } from '@keysweep/core';
import {
  type ArgsortOptions,
  argsort,
  type BackendName,
  builtin,
  createSorter,
  type SortOptions,
  sort,
  sortPairs,
  toSorted,
} from 'keysweep';
import { argsortSync, sortPairsSync, sortSync } from 'keysweep/sync';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { isSame } from '../fakes.js';

const random = testRandom();

/** Lengths that the built-in sort and the CPU's backend serve. */
const LENGTHS = [10, 300, 5000];

const misled = (): never => {
  throw new Error('code of the caller was run');
};

/** An array whose class has an opinion of everything. */
class Opinionated extends Uint32Array {
  static get [Symbol.species](): never {
    return misled();
  }
  override get length(): number {
    return 5;
  }
  override sort = misled;
  override subarray = misled;
  override slice = misled;
  override set = misled;
  override keys = misled;
  override findIndex = misled;
}

/** The same elements in arrays that say other things of themselves than they are. */
const DECEITS: Readonly<Record<string, (keys: Uint32Array) => Uint32Array>> = {
  'a subclass': (keys) => new Opinionated(keys.buffer as ArrayBuffer),
  'own properties': (keys) => {
    for (const name of ['length', 'byteLength', 'byteOffset', 'BYTES_PER_ELEMENT']) {
      Object.defineProperty(keys, name, { value: 5 });
    }
    for (const name of ['constructor', 'buffer', 'sort', 'subarray', 'set', 'slice', 'keys']) {
      Object.defineProperty(keys, name, { get: misled });
    }
    return keys;
  },
  'another prototype': (keys) => Object.setPrototypeOf(keys, null) as Uint32Array,
  'a prototype of another class': (keys) =>
    Object.setPrototypeOf(keys, Float64Array.prototype) as Uint32Array,
};

const plain = (array: TypedArray): Uint32Array => {
  const { prototype } = Object.getPrototypeOf(Uint8Array) as { prototype: Uint8Array };
  const read = (name: string): unknown =>
    Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(array);
  return new Uint32Array(
    read('buffer') as ArrayBuffer,
    read('byteOffset') as number,
    read('length') as number,
  );
};

const gathered = (keys: Uint32Array, order: Uint32Array): Uint32Array =>
  Uint32Array.from(order, (row) => keys[row] as number);

describe.each(Object.entries(DECEITS))('an array with %s', (_name, disguise) => {
  it.each(LENGTHS)('of %i keys is sorted as what it is', async (length) => {
    const given = randomKeys(length, random);
    const expected = given.slice().sort();
    const make = (): Uint32Array => disguise(given.slice());
    for (const options of [undefined, { order: 'ascending' }, { backend: 'cpu' }] as const) {
      const keys = make();
      expect(await sort(keys, options)).toBe(keys);
      expect(isSame(plain(keys), expected)).toBe(true);
      const source = make();
      const sorted = await toSorted(source, options);
      expect(Object.getPrototypeOf(sorted)).toBe(Uint32Array.prototype);
      expect(isSame(sorted, expected)).toBe(true);
      expect(isSame(plain(source), given)).toBe(true);

      const values = make();
      await sortPairs(make(), values, options);
      expect(isSame(plain(values), expected)).toBe(true);
      const order = await argsort([make(), make()], options);
      expect(isSame(gathered(given, order), expected)).toBe(true);
      expect(Object.getPrototypeOf(order)).toBe(Uint32Array.prototype);
    }
    const keys = make();
    expect(sortSync(keys)).toBe(keys);
    expect(isSame(plain(keys), expected)).toBe(true);
    const [pairKeys, values] = [make(), make()];
    sortPairsSync(pairKeys, values, { order: 'descending' });
    expect(isSame(plain(values), expected.slice().reverse())).toBe(true);
    expect(isSame(plain(pairKeys), plain(values))).toBe(true);
  });

  it('holds segments, indices and the result as what they are', async () => {
    const keys = Float32Array.of(3, 1, 2, -0, 0, 9, 8);
    const segments = disguise(Uint32Array.of(0, 2));
    expect([...(await toSorted(keys, { segments }))]).toEqual([1, 3, -0, 0, 2, 8, 9]);
    for (const call of [argsort, argsortSync] as ((...args: never[]) => unknown)[]) {
      const run = async (options: ArgsortOptions): Promise<Uint32Array> =>
        (await call(...([keys, options] as never[]))) as Uint32Array;
      const indices = (): Uint32Array => disguise(Uint32Array.of(6, 5, 0, 1, 4, 3));
      expect(await run({ indices: indices() })).toEqual(Uint32Array.of(3, 4, 1, 0, 6, 5));
      const out = disguise(new Uint32Array(6));
      expect(await run({ indices: indices(), out })).toBe(out);
      expect(plain(out)).toEqual(Uint32Array.of(3, 4, 1, 0, 6, 5));
      const both = indices();
      expect(await run({ indices: both, out: both })).toBe(both);
      expect(plain(both)).toEqual(Uint32Array.of(3, 4, 1, 0, 6, 5));
      const long = await run({ indices: indices(), out: disguise(new Uint32Array(7)) });
      expect(Object.getPrototypeOf(long)).toBe(Uint32Array.prototype);
      expect(long).toEqual(Uint32Array.of(3, 4, 1, 0, 6, 5));
      await expect(run({ indices: indices(), out: disguise(new Uint32Array(5)) })).rejects.toThrow(
        'out must have room for 6 indices, it has 5',
      );
    }
  });

  it('is refused by its real length', async () => {
    const values = new Uint8Array(5);
    await expect(sortPairs(disguise(new Uint32Array(8)), values)).rejects.toThrow(
      /keys has 8 elements, values has 5/,
    );
    await expect(sort(new Uint32Array(3), { order: disguise(new Uint32Array(8)) as never })) //
      .rejects.toThrow(/order must be 'ascending' or 'descending', got Uint32Array\(8\)/);
  });
});

describe('a resizable buffer', () => {
  it.each(['builtin', 'cpu'] as const)('that grows is noticed by %s', async (backend) => {
    for (const [follows, length] of [
      [true, 100],
      [false, 100],
    ] as const) {
      const buffer = new ArrayBuffer(4 * length, { maxByteLength: 8 * length });
      const keys = follows ? new Uint32Array(buffer) : new Uint32Array(buffer, 0, length);
      const sorting = sort(keys, { backend });
      buffer.resize(8 * length);
      // A view of its own length has not changed.
      if (follows) await expect(sorting).rejects.toThrow(/keys was resized from 100 to 200/);
      else expect(await sorting).toBe(keys);
    }
  });
});

describe('options', () => {
  it('are read from the object itself, whatever Object.prototype holds', async () => {
    const prototype = Object.prototype as Record<string, unknown>;
    for (const [name, value] of Object.entries({
      extra: 1,
      order: 'descending',
      backend: 'none',
    })) {
      prototype[name] = value;
      try {
        for (const length of LENGTHS) {
          const keys = randomKeys(length, random);
          const expected = keys.slice().sort();
          for (const options of [undefined, {}, { onReport: () => {} }]) {
            expect(isSame(await toSorted(keys, options), expected)).toBe(true);
          }
          const order = await argsort(keys, { out: new Uint32Array(length) });
          expect(isSame(gathered(keys, order), expected)).toBe(true);
          const segments = Uint32Array.of(0);
          expect(isSame(sortSync(keys.slice(), { segments }), expected)).toBe(true);
        }
        const sorter = await createSorter({ backends: [builtin()] });
        expect(await sorter.sort(Uint8Array.of(2, 1))).toEqual(Uint8Array.of(1, 2));
        await sorter.close();
      } finally {
        delete prototype[name];
      }
    }
  });

  it.each([
    ['a Map', new Map(), 'an object (Map)'],
    ['a Date', new Date(), 'an object (Date)'],
    ['a RegExp', /a/g, 'an object (RegExp)'],
    ['an Array', [], 'an Array of 0'],
    ['a typed array', new Uint8Array(2), 'Uint8Array(2)'],
    ['a Promise', Promise.resolve(), 'an object (Promise)'],
    ['an AbortSignal', new AbortController().signal, 'an object (AbortSignal)'],
    ['inherited options', Object.create({ order: 'descending' }), 'an object (Object)'],
  ])('are no %s', async (_name, given, words) => {
    const message = `options must be a plain object, got ${words}`;
    const options = given as never;
    const keys = Uint32Array.of(2, 1);
    for (const call of [sort, toSorted, argsort]) {
      await expect(call(keys, options)).rejects.toThrow(new TypeError(message));
    }
    await expect(sortPairs(keys, keys.slice(), options)).rejects.toThrow(message);
    expect(() => sortSync(keys, options)).toThrow(message);
    expect(() => argsortSync(keys, options)).toThrow(message);
    await expect(createSorter(options)).rejects.toThrow(message);
    expect(keys).toEqual(Uint32Array.of(2, 1));
  });

  it('may be of another realm, frozen, or without a prototype', async () => {
    const { runInNewContext } = await import('node:vm');
    const order = 'descending';
    for (const options of [
      runInNewContext(`({ order: '${order}' })`),
      Object.freeze({ order }),
      { __proto__: null, order },
      { [Symbol('note')]: 1, order },
    ] as SortOptions[]) {
      expect(await sort(Uint8Array.of(1, 2), options)).toEqual(Uint8Array.of(2, 1));
    }
  });

  it('are read once', async () => {
    const reads: string[] = [];
    const given: SortOptions = { order: 'ascending', keyBits: { begin: 0, end: 8 } };
    const watched = (target: object, prefix: string): object => {
      const object = {};
      for (const [name, value] of Object.entries(target)) {
        const get = (): unknown => {
          reads.push(prefix + name);
          return typeof value === 'object' ? watched(value, `${name}.`) : value;
        };
        Object.defineProperty(object, name, { enumerable: true, get });
      }
      return object;
    };
    await sort(Uint32Array.of(2, 1), watched(given, '') as SortOptions);
    expect(reads).toEqual(['order', 'keyBits', 'keyBits.begin', 'keyBits.end']);
  });

  it('whose code takes the keys away are refused, synchronous ones too', async () => {
    const taking = (keys: KeyArray): SortOptions => ({
      get keyBits() {
        structuredClone(keys.buffer, { transfer: [keys.buffer as ArrayBuffer] });
        return { begin: 0, end: 8 };
      },
    });
    const ours = (): Uint32Array => new Uint32Array(1000);
    const keys = ours();
    await expect(sort(keys, taking(keys))).rejects.toThrow(/keys has lost its memory/);
    const others = ours();
    expect(() => sortSync(others, taking(others))).toThrow(/keys has lost its memory/);
  });
});

it('what throws when it is described gives a TypeError all the same', async () => {
  const thrower = {
    get constructor() {
      return misled();
    },
  };
  for (const value of [thrower, new Proxy([], { getPrototypeOf: misled, get: misled })]) {
    await expect(sort(value as never)).rejects.toThrow(/^keys must be a typed array, got /);
  }
});

describe('methods that are replaced', () => {
  const replacing = (target: object, names: readonly PropertyKey[], value: unknown): void => {
    const before = names.map((name) => Object.getOwnPropertyDescriptor(target, name));
    onTestFinished(() => {
      names.forEach((name, i) => {
        Object.defineProperty(target, name, before[i] as PropertyDescriptor);
      });
    });
    for (const name of names) {
      Object.defineProperty(target, name, { value, configurable: true, writable: true });
    }
  };
  const prototype = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
  const isSorted = (keys: ArrayLike<number | bigint>, length: number): boolean => {
    if (keys.length !== length) return false;
    for (let i = 1; i < length; i++) {
      if ((keys[i - 1] as number) > (keys[i] as number)) return false;
    }
    return true;
  };
  const few = randomKeys(200, random);
  const names = ['cpu', 'builtin'] satisfies BackendName[];

  it('of BigInt.prototype decide no order', async () => {
    const keys = BigUint64Array.from(randomKeys(6000, random), (key) => BigInt(key) << 20n);
    replacing(BigInt.prototype, ['toString', 'valueOf', 'toLocaleString'], () => '1');
    expect(bitLength(2n ** 40n)).toBe(41);
    for (const backend of names) {
      expect(isSorted(await toSorted(keys, { backend }), 6000), backend).toBe(true);
    }
    const copy = new BigUint64Array(keys);
    expect(isSorted(sortSync(copy), 6000)).toBe(true);
  });

  it('of %TypedArray%.prototype decide no order of the built-in sort', async () => {
    replacing(prototype, ['sort', 'subarray', 'set', 'slice', 'reverse', 'keys'], () => few);
    const sorter = await createSorter({ backends: [builtin()] });
    for (const options of [undefined, { order: 'ascending' }, { segments: Uint32Array.of(0) }]) {
      const given = options as SortOptions | undefined;
      expect(isSorted(await toSorted(few, given), 200)).toBe(true);
      expect(isSorted(await sorter.toSorted(few, given), 200)).toBe(true);
      expect(isSorted(sortSync(new Uint32Array(few)), 200)).toBe(true);
    }
    const order = await argsort(few);
    expect(
      isSorted(
        Uint32Array.from(order, (row) => few[row] as number),
        200,
      ),
    ).toBe(true);
    await sorter.close();
  });
});

afterAll(() => {
  expect(Object.keys(Object.prototype)).toEqual([]);
});
