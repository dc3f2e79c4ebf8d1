/** Keys that are in order, or in reverse order, are looked at, and no backend is asked. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ARRAY_CLASSES, fillSpecial, fillWithBits, runSeed } from '@keysweep/conformance/data';
import { bitsOf, type KeyArray } from '@keysweep/core';
import { compareKeys, oraclePermutation } from '@keysweep/core/oracle';
import { builtin, createSorter, sort, toSorted, warmUp } from 'keysweep';
import { releaseSync, sortSync } from 'keysweep/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { notingSorter, random } from '../fakes.js';

const source = testRandom();
const here = fileURLToPath(new URL('.', import.meta.url));
const N = 10_000;
const ORDERS = ['ascending', 'descending'] as const;

const { sorter, requests } = await notingSorter();
afterAll(() => sorter.close());
// The code that looks at the order comes with what larger arrays need.
beforeAll(() => warmUp(1));

/** The keys of these rows, bit for bit. */
function pick(keys: KeyArray, rows: Iterable<number>): KeyArray {
  const picked = keys.slice();
  let at = 0;
  for (const row of rows) picked.set(keys.subarray(row, row + 1) as never, at++);
  return picked;
}

/** The patterns of all keys as texts, in an order that is the same for the same keys. */
const patterns = (keys: KeyArray): string[] => {
  const bits = bitsOf(keys);
  const width = bits.length / keys.length;
  return Array.from(keys.keys(), (i) => bits.subarray(i * width, (i + 1) * width).join()).sort();
};

function expectSorted(found: KeyArray, given: KeyArray, order: (typeof ORDERS)[number]): void {
  const sign = order === 'ascending' ? 1 : -1;
  let wrong = 0;
  for (let i = 1; i < found.length; i++) {
    const [a, b] = [found[i - 1], found[i]] as [number, number];
    if (sign * compareKeys(a, b) > 0) wrong++;
  }
  expect({ seed: runSeed(), wrong }).toEqual({ seed: runSeed(), wrong: 0 });
  expect(patterns(found)).toEqual(patterns(given));
}

describe.each(ARRAY_CLASSES)('$name in some order', ({ create }) => {
  /** Arrays in order, in reverse order and equal, and each of them with a step out of order. */
  const cases: [string, KeyArray][] = [];
  for (const [kind, fill] of Object.entries({ bits: fillWithBits, special: fillSpecial })) {
    const keys = create(1000);
    fill(keys, source);
    const rows = oraclePermutation([keys]);
    cases.push([`${kind}, ascending`, pick(keys, rows)]);
    cases.push([`${kind}, descending`, pick(keys, rows.reverse())]);
  }
  const equal = create(1000);
  cases.push(['equal', equal]);
  for (const [what, keys] of cases.slice()) {
    for (const at of [0, source.below(998), 998]) {
      const rows = [...keys.keys()];
      rows.splice(at, 2, at + 1, at);
      cases.push([`${what}, swapped at ${at}`, pick(keys, rows)]);
    }
  }

  // The greatest bits are those of a NaN with a sign, which belongs behind all numbers.
  for (const [way, from] of Object.entries({ rising: 0, falling: 999 })) {
    for (const place of [0, 999]) {
      const keys = create(1000);
      for (let i = 0; i < 1000; i++) {
        const key = Math.abs(i - from) >> 3;
        keys[i] = (typeof keys[0] === 'bigint' ? BigInt(key) : key) as never;
      }
      const bits = bitsOf(keys);
      bits.fill(-1, (place * bits.length) / 1000, ((place + 1) * bits.length) / 1000);
      cases.push([`${way}, but for the one at ${place}`, keys]);
    }
  }

  it.each(ORDERS)('%s', async (order) => {
    expect(cases).toHaveLength(24);
    for (const [, keys] of cases) {
      expectSorted(await sort(keys.slice(), { order }), keys, order);
      expectSorted(await toSorted(keys, { order }), keys, order);
      expectSorted(sortSync(keys.slice(), { order }), keys, order);
    }
  });
});

describe('no backend is asked to sort', () => {
  const rising = Float64Array.from({ length: N }, (_, i) => i / 3 - 1000);
  const arrays: Record<string, KeyArray> = {
    'keys in order': rising,
    'keys in reverse order': rising.slice().reverse(),
    'equal keys': new Uint32Array(N).fill(7),
    'keys in order, with NaNs at their end': rising.slice().fill(Number.NaN, N - 10),
    '64-bit integers in order': BigInt64Array.from(rising, (key) => BigInt(Math.floor(key))),
  };

  it.each(Object.entries(arrays))('%s', async (_, keys) => {
    requests.length = 0;
    for (const order of ORDERS) {
      // After sorts in a row the event loop gets a turn, and the sort goes the long way.
      await new Promise((resolve) => setTimeout(resolve, 20));
      await sorter.sort(keys.slice(), { order });
    }
    expect(requests).toEqual([]);
  });

  it('by the first call of a process, which takes no memory for them', async () => {
    const script = `
      const { Memory } = WebAssembly;
      let made = 0;
      WebAssembly.Memory = class extends Memory {
        constructor(size) {
          super(size);
          made++;
        }
      };
      const { sort } = await import('keysweep');
      await sort(Float64Array.from({ length: 2 ** 20 }, (_, i) => 7 - i));
      console.log(made);
      await sort(Float64Array.from({ length: 2 ** 20 }, () => Math.random()));
      console.log(made > 0);
    `;
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: here });
    expect(stdout).toBe('0\ntrue\n');
  });

  it('nor is the order of bytes looked at if the engine counts them', async () => {
    const script = `
      const { prototype } = Object.getPrototypeOf(Uint8Array);
      const called = [];
      for (const name of ['sort', 'reverse']) {
        const method = prototype[name];
        prototype[name] = function (...given) {
          called.push(name);
          return method.apply(this, given);
        };
      }
      const { sort, warmUp } = await import('keysweep');
      await warmUp(1);
      // The engine is tried once.
      await sort(new Uint8Array(300));
      for (const Keys of [Uint8Array, Int8Array, Int32Array]) {
        const keys = Keys.from({ length: 300 }, (_, i) => 100 - Math.floor(i / 3));
        called.length = 0;
        await sort(keys);
        console.log(called.join());
      }
    `;
    const engine = new URL('../engines/one-nan.mjs', import.meta.url).href;
    const args = ['--import', engine, '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: here });
    expect(stdout).toBe('sort\nsort\nreverse\n');
  });

  it.each([
    ['WebKit', '{}', 0],
    ['Bun, whose radix sort looks at the order itself', "{ bun: '1.4.5' }", 1],
  ])('nor is the engine, in %s', async (_, versions, ownSorts) => {
    const script = `
      await import('../engines/one-nan.mjs');
      const value = { ...process.versions, ...${versions} };
      Object.defineProperty(process, 'versions', { value });
      const prototype = Object.getPrototypeOf(Uint8Array.prototype);
      const { sort } = prototype;
      let sorts = 0;
      prototype.sort = function (...given) {
        if (this.length === ${N}) sorts++;
        return sort.apply(this, given);
      };
      const keysweep = await import('keysweep');
      await keysweep.warmUp(1);
      await keysweep.sort(Int32Array.from({ length: ${N} }, (_, i) => i - 1000));
      console.log(sorts);
    `;
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: here });
    expect(stdout).toBe(`${ownSorts}\n`);
  });

  it('but for others it is', async () => {
    requests.length = 0;
    const last = rising.slice();
    last[N - 1] = -2000;
    await sorter.sort(last);
    await sorter.sort(random(N));
    expect(requests).toHaveLength(2);
  });

  it('by sortSync, which takes no memory for them', () => {
    // Until kernels have started, the runtime's own sort would serve the last one.
    sortSync(random(2 ** 19));
    releaseSync();
    const { Memory } = WebAssembly;
    let made = 0;
    WebAssembly.Memory = class extends Memory {
      constructor(size: WebAssembly.MemoryDescriptor) {
        super(size);
        made++;
      }
    };
    try {
      for (const keys of Object.values(arrays)) sortSync(keys.slice());
      expect(made).toBe(0);
      sortSync(random(N));
      expect(made).toBeGreaterThan(0);
    } finally {
      WebAssembly.Memory = Memory;
    }
  });

  it('once the sorter is closed, but the call rejects', async () => {
    const closed = await createSorter({ backends: [builtin()] });
    await closed.close();
    await expect(closed.sort(rising.slice())).rejects.toThrow('closed');
  });
});
