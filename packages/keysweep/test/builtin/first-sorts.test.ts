/**
 * The first calls of a process, which the shared sorter serves. Each case is a process of its own.
 */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runSeed, sample } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../../tools/test/draw-tests.js';

drawTests(1 / 2);

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * What a script prints. It has `keysweep`, `floats(n)` and `isSorted(keys, before)`. The module at
 * `first`, if given, is imported before.
 */
async function script(body: string, first?: string): Promise<unknown> {
  const source = `
    import * as keysweep from 'keysweep';
    import { Random } from '@keysweep/core/random';
    const random = new Random(${runSeed()});
    const floats = (n) =>
      Float64Array.from(random.fill(new Uint32Array(n)), (word) => word / 2 ** 20 - 2048);
    const isSorted = (keys, before) =>
      Buffer.from(keys.buffer).equals(Buffer.from(before.slice().sort().buffer));
    let threads = 0;
    process.on('worker', () => threads++);
    const print = (found) => console.log(JSON.stringify(found));
    ${body}
  `;
  const before = first === undefined ? [] : ['--import', first];
  const args = [...before, '--input-type=module', '--eval', source];
  const run = promisify(execFile)(process.execPath, args, { cwd: here, timeout: 300_000 });
  return JSON.parse((await run).stdout);
}

describe(`the first call of a process, seed ${runSeed()}`, () => {
  it.each(sample([300, 5000, 100_000, 600_000, 2_000_000], 3))('sorts %i keys', async (length) => {
    const found = await script(`
      const keys = floats(${length});
      const before = keys.slice();
      const sorting = keysweep.sort(keys);
      await sorting;
      const started = threads;
      print({ isRight: isSorted(keys, before), started });
    `);
    expect(found).toEqual({ isRight: true, started: 0 });
  });

  it('leaves short arrays to the built-in sort before its promise is there', async () => {
    const found = await script(`
      const keys = floats(5000);
      const before = keys.slice();
      keysweep.sort(keys);
      print(isSorted(keys, before));
    `);
    expect(found).toBe(true);
  });

  it('orders short arrays before its promise is there', async () => {
    const found = await script(`
      const keys = floats(1000);
      let order;
      // Only microtasks, which load no file, come before this one.
      const isInOrder = (row, i) => i === 0 || keys[order[i - 1]] <= keys[row];
      setImmediate(() => print(order?.every(isInOrder)));
      order = await keysweep.argsort(keys);
    `);
    expect(found).toBe(true);
  });

  it('starts no kernels for short synchronous sorts, until they have taken longer', async () => {
    const found = await script(`
      const { argsortSync, sortSync } = await import('keysweep/sync');
      let started = 0;
      WebAssembly.Module = class extends WebAssembly.Module {
        constructor(bytes) {
          super(bytes);
          started++;
        }
      };
      const isRight = () => {
        const keys = floats(100_000);
        const before = keys.slice();
        const order = argsortSync(keys);
        return isSorted(sortSync(keys), before) && keys.every((key, i) => key === before[order[i]]);
      };
      const first = [isRight(), started];
      const others = Array.from({ length: 10 }, isRight);
      print({ first, isRight: others.every(Boolean), hasStarted: started > 0 });
    `);
    expect(found).toEqual({ first: [true, 0], isRight: true, hasStarted: true });
  });

  // What tells the engines apart, without a user agent.
  const SPIDERMONKEY = 'data:text/javascript,globalThis.InternalError = Error';
  const JAVASCRIPTCORE = new URL('../engines/one-nan.mjs', import.meta.url).href;
  const ENGINES = [
    // Kernels take as long as Firefox's own sort for 3 * 10^5 doubles.
    ['Firefox', SPIDERMONKEY, 'Float64Array', 300_000, 0],
    ['Firefox', SPIDERMONKEY, 'Float64Array', 600_000, 1],
    ['Firefox, by its radix sort', SPIDERMONKEY, 'Int32Array', 2_000_000, 0],
    ['Firefox, by its radix sort', SPIDERMONKEY, 'Int16Array', 6_000_000, 0],
    ['WebKit', JAVASCRIPTCORE, 'Float64Array', 1_000_000, 0],
    ['WebKit', JAVASCRIPTCORE, 'Float64Array', 2_000_000, 1],
    ['Chromium', undefined, 'Float64Array', 1_000_000, 1],
    ['Chromium', undefined, 'Int32Array', 1_000_000, 0],
  ] as const;
  it.each(sample(ENGINES, 4))(
    'goes where it is done soonest in %s',
    async (_, engine, type, length, kernels) => {
      const found = await script(
        `
      // No browser has this.
      const { versions } = process;
      Object.defineProperty(process, 'versions', { value: {}, configurable: true });
      let compiled = 0;
      WebAssembly.Module = class extends WebAssembly.Module {
        constructor(bytes) {
          super(bytes);
          if (bytes.length > 10_000) compiled++;
        }
      };
      const keys = ${type}.from(floats(${length}));
      const before = keys.slice();
      const sorting = keysweep.sort(keys);
      Object.defineProperty(process, 'versions', { value: versions });
      await sorting;
      print({ isRight: isSorted(keys, before), compiled });
    `,
        engine,
      );
      expect(found).toEqual({ isRight: true, compiled: kernels });
    },
  );

  it('of 10^5 keys loads no code, and the next one does', async () => {
    const found = await script(`
      let made = 0;
      // A dispatcher asks whether kernels work when it is made.
      const { Instance } = WebAssembly;
      WebAssembly.Instance = class extends Instance {
        constructor(...given) {
          super(...given);
          made++;
        }
      };
      await keysweep.sort(floats(100_000));
      // Time enough to load and make it: another one needs less.
      await keysweep.createSorter();
      const first = made;
      await keysweep.sort(floats(100_000));
      for (let i = 0; i < 1000 && made === first; i++) await new Promise((r) => setTimeout(r, 10));
      print({ first, others: made - first });
    `);
    // One is the sorter's own.
    expect(found).toEqual({ first: 1, others: 1 });
  });

  it('is followed by sorts that wait for kernels, if nothing else lets them load', async () => {
    const found = await script(`
      let compiled = 0;
      WebAssembly.Module = class extends WebAssembly.Module {
        constructor(bytes) {
          super(bytes);
          compiled++;
        }
      };
      const others = floats(300_000);
      // The event loop has no turn: other work makes each sort the first in a row.
      for (let i = 0; i < 4; i++) {
        await keysweep.sort(floats(300_000));
        others.slice().sort();
      }
      print(compiled > 0);
    `);
    expect(found).toBe(true);
  });

  it('does not read the navigator, which pages and Node take long to make', async () => {
    const found = await script(`
      let reads = 0;
      const get = () => void reads++;
      Object.defineProperty(globalThis, 'navigator', { get, configurable: true });
      for (const length of [100_000, 1_000_000]) keysweep.sort(floats(length));
      // Not for code that comes later, either: Node takes a fifth of a millisecond to make one.
      await keysweep.createSorter();
      print(reads);
    `);
    expect(found).toBe(0);
  });

  it('does not read the message channel, which Node then has to load', async () => {
    const found = await script(`
      let reads = 0;
      const get = () => void reads++;
      Object.defineProperty(globalThis, 'MessageChannel', { get, configurable: true });
      keysweep.sort(floats(50_000));
      print(reads);
    `);
    expect(found).toBe(0);
  });

  it('compiles kernels in another task than the code that compiles them', async () => {
    const found = await script(`
      let tasks = 0;
      const next = () => {
        tasks++;
        setImmediate(next).unref();
      };
      next();
      const compiled = [];
      WebAssembly.Module = class extends WebAssembly.Module {
        constructor(bytes) {
          super(bytes);
          compiled.push([bytes.length > 10_000, tasks]);
        }
      };
      await keysweep.sort(floats(800_000));
      // The dispatcher compiles an empty module when it is made.
      const [, made] = compiled[0];
      const [, kernels] = compiled.find(([isLong]) => isLong);
      print(kernels - made);
    `);
    expect(found).toBeGreaterThan(0);
  });

  it('says who served it and what it expected, start and loading included', async () => {
    const found = await script(`
      const reports = [];
      const onReport = (report) => reports.push(report);
      await keysweep.sort(floats(600_000), { onReport });
      const [{ backend, threads: taken, predicted, reason }] = reports;
      const sorter = await keysweep.createSorter();
      const [{ milliseconds }] = sorter.plan({ keyType: 'f64', length: 600_000 }).steps;
      print({ backend, taken, hasLoaded: predicted > milliseconds, reason });
    `);
    expect(found).toMatchObject({ backend: 'cpu', taken: 1, hasLoaded: true });
    expect((found as { reason: string }).reason).toMatch(/of it to start/);
  });
});

it.each(['sort(floats(5000), { onReport })', 'argsort({ keys: floats(5000) }, { onReport })'])(
  'expects what a first call has taken until there is a plan: %s',
  async (call) => {
    const found = await script(`
    // The dispatcher asks whether kernels work when it is made.
    const { Instance } = WebAssembly;
    WebAssembly.Instance = class extends Instance {
      constructor(...given) {
        super(...given);
        for (const end = performance.now() + 200; performance.now() < end; );
      }
    };
    const onReport = ({ predicted }) => print(predicted >= 200);
    await keysweep.${call};
  `);
    expect(found).toBe(true);
  },
);

describe('warmUp', () => {
  it('starts what the shared sorter needs', async () => {
    const found = await script(`
      await keysweep.warmUp(600_000);
      const reports = [];
      const keys = floats(600_000);
      const before = keys.slice();
      await keysweep.sort(keys, { onReport: (report) => reports.push(report) });
      print({ isRight: isSorted(keys, before), some: threads > 0, reason: reports[0].reason });
    `);
    expect(found).toMatchObject({ isRight: true, some: true });
    expect((found as { reason: string }).reason).not.toMatch(/to start/);
  });

  it('serves keysweep/sorted, too', async () => {
    const found = await script(`
      const { rank } = await import('keysweep/sorted');
      await keysweep.warmUp(600_000);
      const before = threads;
      const reports = [];
      await rank(floats(600_000), { onReport: (report) => reports.push(report) });
      print({ backend: reports[0].backend, reason: reports[0].reason, more: threads - before });
    `);
    expect(found).toMatchObject({ backend: 'cpu', more: 0 });
    expect((found as { reason: string }).reason).not.toMatch(/to start/);
  });
});
