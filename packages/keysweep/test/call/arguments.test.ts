/** The arguments of the sorting functions: what they take, and the errors for everything else. */

import { runInNewContext } from 'node:vm';
import {
  argsort,
  builtin,
  createSorter,
  prepare,
  type SortOptions,
  sort,
  sortPairs,
  toSorted,
} from 'keysweep';
import { quantiles } from 'keysweep/sorted';
import { describe, expect, it } from 'vitest';

const options = (value: unknown): SortOptions => value as SortOptions;
const keys = (): Uint32Array => Uint32Array.of(3, 1, 2);

/** Expects `call` to reject like that, and `array` to be as it was. */
async function refuses(
  array: Uint32Array,
  call: () => Promise<unknown>,
  type: typeof Error | RangeErrorConstructor | TypeErrorConstructor,
  message: RegExp,
): Promise<void> {
  const before = array.slice();
  const error = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(type);
  expect((error as Error).message).toMatch(message);
  expect(array).toEqual(before);
}

describe('keys and values', () => {
  it.each([
    [[3, 1, 2], /keys must be a typed array, got an Array of 3; convert it/],
    [null, /keys must be a typed array, got null/],
    [undefined, /got undefined/],
    ['321', /got the string '321'/],
    [new DataView(new ArrayBuffer(4)), /got an object \(DataView\)/],
    [{ length: 2, 0: 1, 1: 0, [Symbol.toStringTag]: 'Uint8Array' }, /got an object \(Object\)/],
  ])('refuses %o as keys', async (value, message) => {
    for (const call of [sort, toSorted, argsort]) {
      await expect(call(value as never)).rejects.toThrow(TypeError);
      await expect(call(value as never)).rejects.toThrow(/must be a typed array/);
    }
    await expect(sort(value as unknown as Uint32Array)).rejects.toThrow(message);
  });

  it.each([
    [{ key: keys() }, /^keys must be a typed array or a column { keys: … }, got an object/],
    [
      ['b', 'a'],
      /^keys\[0\] must be a typed array or a column .*, got the string 'b'; .*{ keys: list }/,
    ],
    [[3, 1], /^keys\[0\] must be a typed array or a column .*, got the number 3; .*Float64Array/],
  ])('argsort says what else %o should be', async (value, message) => {
    await expect(argsort(value as never)).rejects.toThrow(TypeError);
    await expect(argsort(value as never)).rejects.toThrow(message);
  });

  it('takes arrays of another realm', async () => {
    const foreign = runInNewContext('new Float64Array([2, -1, 1])') as Float64Array;
    expect(Array.from(await sort(foreign))).toEqual([-1, 1, 2]);
    expect(Array.from(await toSorted(foreign, { order: 'descending' }))).toEqual([2, 1, -1]);
  });

  it('refuses a detached array and one whose buffer shrank below it', async () => {
    const detached = keys();
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    await expect(sort(detached)).rejects.toThrow(TypeError);
    await expect(sort(detached)).rejects.toThrow(
      /keys has lost its memory: its buffer was detached/,
    );
    const buffer = new ArrayBuffer(16, { maxByteLength: 16 });
    const cut = new Uint32Array(buffer, 4, 3);
    buffer.resize(4);
    await expect(argsort(cut)).rejects.toThrow(/keys has lost its memory/);
    await expect(sortPairs(new Uint32Array(0), cut)).rejects.toThrow(/values has lost its memory/);
  });

  it('takes empty arrays and single keys', async () => {
    for (const length of [0, 1]) {
      const array = new BigInt64Array(length);
      expect(await sort(array)).toBe(array);
      expect(await argsort(array)).toEqual(new Uint32Array(length));
      expect(await argsort([array, new Uint8Array(length)])).toEqual(new Uint32Array(length));
    }
  });

  it('takes keys and values that lie side by side', async () => {
    for (const isFirst of [true, false]) {
      const both = Uint32Array.of(3, 1, 2, 3, 1, 2);
      const halves = [both.subarray(0, 3), both.subarray(3)] as const;
      const [keys, values] = isFirst ? halves : [halves[1], halves[0]];
      await sortPairs(keys, values);
      expect([...both]).toEqual([1, 2, 3, 1, 2, 3]);
    }
  });

  it('refuses lengths that differ and memory that overlaps', async () => {
    const array = keys();
    await refuses(
      array,
      () => sortPairs(array, new Uint8Array(2)),
      RangeError,
      /keys has 3 .* values has 2/,
    );
    await refuses(array, () => sortPairs(array, array), TypeError, /must not overlap/);
    await refuses(
      array,
      () => sortPairs(array.subarray(0, 2), array.subarray(1)),
      TypeError,
      /must not overlap/,
    );
    await refuses(
      array,
      () => argsort([array, new Uint8Array(4)]),
      RangeError,
      /keys\[0\] has 3 elements and keys\[1\] has 4/,
    );
    await refuses(array, () => argsort([]), TypeError, /empty list/);
    await refuses(array, () => argsort([array, [1] as never]), TypeError, /keys\[1\] must be/);
  });
});

describe('options', () => {
  it.each<[unknown, typeof TypeError | typeof RangeError, RegExp]>([
    [(a: number, b: number) => a - b, TypeError, /comparator function/],
    [null, TypeError, /options must be an object, got null/],
    ['descending', TypeError, /options must be an object, got the string/],
    [{ descending: true }, TypeError, /options has no 'descending'; it takes order/],
    [
      { order: 'desc' },
      TypeError,
      /order must be 'ascending' or 'descending', got the string 'desc'/,
    ],
    [{ backend: 'gpu' }, TypeError, /backend must be one of 'auto', 'webgpu'/],
    [{ segments: [0, 1] }, TypeError, /segments must be a Uint32Array .* got an Array of 2/],
    [{ segments: new Uint32Array(0) }, RangeError, /must start at 0, got none/],
    [{ segments: Uint32Array.of(1, 2) }, RangeError, /must start at 0, got 1/],
    [{ segments: Uint32Array.of(0, 2, 1) }, RangeError, /offset 2 is 1 after 2/],
    [{ segments: Uint32Array.of(0, 4) }, RangeError, /within the 3 keys: offset 1 is 4/],
    [{ keyBits: 8 }, TypeError, /keyBits must be an object/],
    [{ keyBits: { begin: '0', end: 8 } }, TypeError, /keyBits.begin must be a number/],
    [{ keyBits: { begin: Number.NaN, end: 8 } }, RangeError, /whole numbers with 0 <= begin/],
    [{ keyBits: { begin: -1, end: 8 } }, RangeError, /got begin -1, end 8/],
    [{ keyBits: { begin: 9, end: 8 } }, RangeError, /begin <= end/],
    [{ keyBits: { begin: 0, end: 33 } }, RangeError, /<= 32 for u32 keys/],
    [{ keyBits: { begin: 0.5, end: 8 } }, RangeError, /whole numbers/],
    [
      { approximate: true },
      TypeError,
      /approximate is for Float32Array keys, but the keys are u32/,
    ],
    [{ approximate: 1 }, TypeError, /approximate must be true or false/],
    [{ signal: {} }, TypeError, /signal must be an AbortSignal/],
    [{ onProgress: true }, TypeError, /onProgress must be a function, got the boolean true/],
    [{ onReport: 'x' }, TypeError, /onReport must be a function/],
  ])('refuses %o', async (given, type, message) => {
    const array = keys();
    for (const call of [sort, toSorted, argsort]) {
      await refuses(array, () => call(array, options(given)), type, message);
    }
    const values = keys();
    await refuses(array, () => sortPairs(array, values, options(given)), type, message);
    expect(values).toEqual(keys());
  });

  it('refuses keyBits on signed and float keys', async () => {
    const keyBits = { begin: 0, end: 8 };
    await expect(sort(new Int32Array(2), { keyBits })).rejects.toThrow(TypeError);
    await expect(sort(new Float32Array(2), { keyBits })).rejects.toThrow(/unsigned integer keys/);
    await expect(argsort([keys(), new Int8Array(3)], { keyBits })).rejects.toThrow(/keys are i8/);
  });

  it('takes undefined for every option', async () => {
    const given = { order: undefined, segments: undefined, backend: undefined, signal: undefined };
    expect(await sort(keys(), options(given))).toEqual(Uint32Array.of(1, 2, 3));
  });

  it('copies segments when the call is made', async () => {
    const length = 300_000;
    const array = Uint32Array.from({ length }, (_, i) => length - i);
    const segments = Uint32Array.of(0, length / 2);
    const sorting = sort(array, { segments });
    segments[1] = 10;
    await sorting;
    expect(array[0]).toBe(length / 2 + 1);
    expect(array[length / 2]).toBe(1);
  });
});

describe('createSorter', () => {
  it('refuses options it does not have and lists without backends', async () => {
    await expect(createSorter({ threads: 2 } as never)).rejects.toThrow(/options has no 'threads'/);
    await expect(createSorter({ backends: [] })).rejects.toThrow(/at least one backend/);
    await expect(createSorter({ backends: ['cpu'] as never })).rejects.toThrow(/as cpu\(\)/);
    await expect(createSorter(null as never)).rejects.toThrow(/options must be an object/);
    for (const allowSoftware of ['yes', 1, null]) {
      const creating = createSorter({ allowSoftware: allowSoftware as never });
      await expect(creating).rejects.toThrow(/^allowSoftware must be true or false, got/);
    }
    // Half a backend, and one among others.
    const [half, whole] = [{ sort: () => {} }, builtin()];
    for (const backends of [[half], [{ probe: half.sort }], [whole, half], [whole, undefined]]) {
      await expect(createSorter({ backends: backends as never })).rejects.toThrow(/as cpu\(\)/);
    }
  });
});

describe('a list that has other elements', () => {
  it('fractions of quantiles have to be numbers from 0 to 1', async () => {
    const of = (fractions: unknown): Promise<unknown> => quantiles(keys(), fractions as number[]);
    for (const other of ['0.5', null, {}, true, 1n]) {
      await expect(of([0, other])).rejects.toThrow(TypeError);
      await expect(of([0, other])).rejects.toThrow(/^fractions\[1\] must be a number, got /);
    }
    for (const other of [-0.1, 1.1, Number.NaN]) {
      await expect(of([other])).rejects.toThrow(RangeError);
    }
    await expect(of(0.5)).rejects.toThrow(/^fractions must be a list of numbers/);
    expect([...((await of([0, 0.5, 1])) as Float64Array)]).toEqual([1, 2, 3]);
  });

  it('precision is for numbers, and says what it got in place of them', async () => {
    const of = (column: unknown): Promise<unknown> => argsort(column as never, { precision: 16 });
    await expect(of({ keys: ['b', 'a'] })).rejects.toThrow(/ keys are text$/);
    const prepared = await prepare({ keys: ['b', 'a'] });
    await expect(of({ keys: prepared })).rejects.toThrow(/ keys are ranks of a prepared column$/);
  });
});
