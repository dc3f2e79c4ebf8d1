/** The dispatcher: plans, warm-ups, reports. */

import { sample } from '@keysweep/conformance/data';
import type { Backend, BackendName, SortOutcome, SortRequest } from '@keysweep/core';
import { builtin, ClosedError, createSorter, type SortReport, sort } from 'keysweep';
import { describe, expect, it, vi } from 'vitest';
import { checkPlanRequest } from '../../dist/call/plan-request.js';
import { fake, isSame, MANY, notingSorter, random } from '../fakes.js';

describe('a plan', () => {
  it('orders the backends by what they are expected to take, and names each once', async () => {
    const sorter = await createSorter();
    const small = sorter.plan({ keyType: 'u32', length: 10 });
    const order = ['builtin', 'cpu', 'webgpu', 'webgl2'];
    expect(small.steps.map((step) => step.backend)).toEqual(order);
    expect(small.steps[1]?.reason).toMatch(/^10 ms expected, 10 ms of it to start/);
    expect(small.refused).toEqual([]);
    const large = sorter.plan({ keyType: 'f64', length: 1e6, operation: 'argsort' });
    expect(large.steps[0]?.backend).toBe('cpu');
    const times = large.steps.map(({ milliseconds }) => milliseconds);
    expect(times).toEqual(times.slice().sort((a, b) => a - b));
    const named = sorter.plan({ keyType: 'u32', length: 10, backend: 'cpu' });
    expect(named.steps).toMatchObject([{ backend: 'cpu', reason: 'the caller named it' }]);
    const few = await createSorter({ backends: [builtin()] });
    const absent = few.plan({ keyType: 'u32', length: 10, backend: 'webgl2' });
    expect(absent.steps).toEqual([]);
    expect(absent.refused[0]?.reason).toMatch(/has the backends 'builtin' only/);
    expect(() => sorter.plan({ keyType: 'u33' as never, length: 1 })).toThrow(
      /keyType must be one/,
    );
    expect(() => sorter.plan(undefined as never)).toThrow(/keyType must be .*, got undefined/);
    expect(() => sorter.plan({ type: 'u32', length: 1 } as never)).toThrow(
      /request has no 'type'; it takes operation, keyType/,
    );
    expect(() => sorter.plan({ keyType: 'u32', length: -1 })).toThrow(/length must be a whole/);
    await sorter.close();
  });

  it.each([
    [
      { operation: 'merge' },
      TypeError,
      /^operation must be one of sort, .*, got the string 'merge'/,
    ],
    [{ keyType: [] }, TypeError, /^keyType must be one or several of/],
    [{ operation: 'argsort', keyType: ['u32', 'u33'] }, TypeError, /^keyType must be one or sev/],
    [{ operation: 'argsort', keyType: ['u33', 'u32'] }, TypeError, /^keyType must be one or sev/],
    [{ keyType: ['u32', 'u32'] }, TypeError, /^only argsort takes several columns, not sort/],
    [
      { length: 1.5 },
      RangeError,
      /^length must be a whole number of keys >= 0, got the number 1.5/,
    ],
    [{ segmentCount: 1.5 }, RangeError, /^segmentCount must be a whole number/],
    [{ order: 'up' }, TypeError, /^order must be 'ascending' or 'descending', got the string 'up'/],
    [
      { segmentCount: 'x' },
      RangeError,
      /^segmentCount must be a whole number >= 1, got the string 'x'/,
    ],
    [{ segmentCount: 0 }, RangeError, /^segmentCount must be .*, got the number 0/],
    [{ keyBits: { begin: 0, end: 33 } }, RangeError, /^keyBits must be .* end <= 32 for u32 keys/],
    [{ keyBits: null }, TypeError, /^keyBits must be an object \{ begin, end \}, got null/],
    [{ approximate: true }, TypeError, /^approximate is for Float32Array keys/],
    [{ valueBytes: 3 }, RangeError, /^valueBytes must be 1, 2, 4 or 8, got the number 3/],
    [{ backend: 'gpu' }, TypeError, /^backend must be one of 'auto', .*, got the string 'gpu'/],
  ])('is refused for what no sort takes: %o', async (wrong, type, message) => {
    const sorter = await createSorter({ backends: [builtin()] });
    const plan = () => sorter.plan({ keyType: 'u32', length: 10, ...wrong } as never);
    expect(plan).toThrow(type);
    expect(plan).toThrow(message);
    await sorter.close();
  });

  it('is of the request that the call then makes', async () => {
    const { sorter, requests } = await notingSorter();
    const keys = Uint32Array.of(3, 1, 2);
    const floats = Float64Array.of(3, 1, 2);
    const shape = { keyType: 'u32', length: 3 } as const;
    await sorter.sort(keys.slice(), { order: 'descending' });
    const described: Parameters<typeof sorter.plan>[0][] = [{ ...shape, order: 'descending' }];
    for (const values of [new Uint8Array(3), new Int16Array(3), new BigUint64Array(3)]) {
      await sorter.sortPairs(keys.slice(), values);
      const valueBytes = values.BYTES_PER_ELEMENT as 1 | 2 | 8;
      described.push({ ...shape, operation: 'sortPairs', valueBytes });
    }
    await sorter.sortPairs(keys.slice(), new Float32Array(3));
    described.push({ ...shape, operation: 'sortPairs' });
    await sorter.argsort([floats, keys]);
    described.push({ operation: 'argsort', keyType: ['f64', 'u32'], length: 3 });
    const keyBits = { begin: 1, end: 32 };
    await sorter.sort(keys.slice(), { segments: Uint32Array.of(0, 1), keyBits });
    // What a sort has none of does not count.
    described.push({ ...shape, segmentCount: 2, keyBits, valueBytes: 8 });
    const shapes = described.map((request) => checkPlanRequest(request).shape);
    expect(shapes).toEqual(requests.map((request) => request.shape));
    await sorter.close();
  });

  it('is followed by sort, cold and warm', async () => {
    for (const length of sample([10, 1000, 5000, 200_000], 2)) {
      for (const isWarm of [false, true]) {
        const sorter = await createSorter();
        if (isWarm) await sorter.warmUp();
        const [planned] = sorter.plan({ keyType: 'u32', length }).steps;
        let report: SortReport | undefined;
        await sorter.sort(random(length), { onReport: (r) => (report = r) });
        expect(report?.backend).toBe(planned?.backend);
        expect(report?.predicted).toBe(planned?.milliseconds);
        await sorter.close();
      }
    }
  });

  it('counts a start once, and starts a backend when that has paid', async () => {
    const served: string[] = [];
    const serving = (name: BackendName): Backend =>
      fake(name, {
        sort: async (request) => {
          served.push(name);
          return builtin().sort(request);
        },
      });
    const sorter = await createSorter({ backends: [serving('cpu'), serving('builtin')] });
    // The first saves a fraction of what the cpu backend takes to start, a hundred of them save
    // more.
    const cold = sorter.plan({ keyType: 'f32', length: 5000 });
    expect(cold.steps[0]?.backend).toBe('builtin');
    const later = (): number =>
      sorter.plan({ keyType: 'f32', length: 5000 }).steps[1]?.milliseconds ?? 0;
    const before = later();
    const floats = (): Float32Array => Float32Array.from(random(5000));
    await sorter.sort(floats());
    // What it takes is expected as before, though less of it counts.
    expect(later()).toBe(before);
    for (let i = 0; i < 200; i++) await sorter.sort(floats());
    expect(served[0]).toBe('builtin');
    expect(served.at(-1)).toBe('cpu');
    // Once it is warm it stays so.
    expect(sorter.plan({ keyType: 'f32', length: 5000 }).steps[0]?.milliseconds).toBeLessThan(1);
    await sorter.release();
    expect(later()).toBeCloseTo(before, 0);
  });

  it('starts a backend that has paid also after sorts without options or report', async () => {
    let served = 0;
    const serve = async (request: SortRequest): Promise<SortOutcome> => {
      served++;
      return builtin().sort(request);
    };
    const sorter = await createSorter({ backends: [fake('cpu', { sort: serve }), builtin()] });
    for (let i = 0; i < 200; i++) {
      const keys = Float32Array.from(random(20_000));
      const expected = keys.slice().sort();
      await sorter.sort(keys);
      expect(isSame(keys, expected)).toBe(true);
      if (i < 10) expect(served).toBe(0);
    }
    expect(served).toBeGreaterThan(20);
    await sorter.close();
    for (const length of [1, 100, 5000]) {
      await expect(sorter.sort(random(length))).rejects.toThrow(ClosedError);
    }
  });

  it('lets few keys wait for a call that sorts their buffer', async () => {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const serve = async (request: SortRequest): Promise<SortOutcome> => {
      await finished;
      return builtin().sort(request);
    };
    const sorter = await createSorter({ backends: [fake('cpu', { sort: serve }), builtin()] });
    const keys = random(MANY);
    const [few, expected] = [keys.subarray(0, 100), keys.slice().sort()];
    const before = few.slice();
    const all = sorter.sort(keys);
    const some = [sorter.sort(few), sort(few)];
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(few).toEqual(before);
    finish();
    await Promise.all([all, ...some]);
    expect(isSame(keys, expected)).toBe(true);
    await sorter.close();
  });

  it('probes no backend that could not pay, and none twice', async () => {
    const probe = vi.fn(builtin().probe);
    const sorter = await createSorter({ backends: [fake('webgpu', { probe }), builtin()] });
    for (let i = 0; i < 100; i++) await sorter.sort(random(1000));
    await sorter.argsort(random(1000));
    expect(probe).not.toHaveBeenCalled();
    await Promise.all([sorter.warmUp(2 ** 22), sorter.capabilities(), sorter.warmUp(2 ** 22)]);
    expect(probe).toHaveBeenCalledTimes(1);
  });

  it('refuses a software adapter unless the caller allows it', async () => {
    const probe = async () => ({
      available: true as const,
      capabilities: { description: 'SwiftShader', software: true, threads: 0 },
    });
    const gpu = fake('webgpu', { probe });
    const sorter = await createSorter({ backends: [gpu, builtin()] });
    await sorter.capabilities();
    expect(sorter.plan({ keyType: 'u32', length: 1e6 }).refused).toEqual([
      { backend: 'webgpu', reason: expect.stringMatching(/software adapter/) },
    ]);
    const allowing = await createSorter({ backends: [gpu, builtin()], allowSoftware: true });
    await allowing.capabilities();
    const { steps, refused } = allowing.plan({ keyType: 'u32', length: 1e6 });
    expect(steps.map(({ backend }) => backend)).toEqual(['builtin', 'webgpu']);
    expect(refused).toEqual([]);
  });
});

describe('warmUp', () => {
  it('starts what is preferred for some length, and no stand-in', async () => {
    const warmed: string[] = [];
    const warming = (name: BackendName): Backend =>
      fake(name, { warmUp: async (length) => void warmed.push(`${name} ${length}`) });
    const backends = [warming('webgpu'), warming('cpu'), warming('webgl2'), warming('builtin')];
    const sorter = await createSorter({ backends });
    await sorter.warmUp(2 ** 23);
    await sorter.warmUp(2 ** 14);
    const [most, few] = [2 ** 23, 2 ** 14];
    const expected = [`webgpu ${most}`, `cpu ${most}`, `builtin ${most}`];
    expect(warmed).toEqual([...expected, `cpu ${few}`, `builtin ${few}`]);
  });
});

describe('reports', () => {
  it('say which backend served, and what it did', async () => {
    const sorter = await createSorter();
    const reports: SortReport[] = [];
    const onReport = (report: SortReport): void => {
      reports.push(report);
    };
    await sorter.sort(new Float32Array(3), { onReport, approximate: true });
    await sorter.sort(
      Uint32Array.from(random(MANY), (key) => key & 0xff),
      { onReport },
    );
    await sorter.argsort([new Uint8Array(2), new Float64Array(2)], { onReport });
    const [small, large, several] = reports as [SortReport, SortReport, SortReport];
    expect(small).toMatchObject({
      operation: 'sort',
      backend: 'builtin',
      keyType: 'f32',
      length: 3,
    });
    expect(small.approximate).toEqual({ bound: 0 });
    expect(large).toMatchObject({ backend: 'cpu', keyType: 'u32', passes: { run: 1, skipped: 2 } });
    expect(large.reason).toMatch(/WebAssembly/);
    expect(large.milliseconds.sort).toBeGreaterThan(0);
    expect(large.milliseconds.total).toBeGreaterThanOrEqual(large.milliseconds.sort as number);
    expect(large).not.toHaveProperty('approximate');
    expect(several.keyTypes).toEqual(['u8', 'f64']);
    await sorter.close();
  });

  it('reject with what onReport throws, once the array is sorted', async () => {
    const keys = Uint8Array.of(2, 1);
    const onReport = (): void => {
      throw new Error('report');
    };
    await expect(sort(keys, { onReport })).rejects.toThrow('report');
    expect(keys).toEqual(Uint8Array.of(1, 2));
  });
});
