/** Requests that are sorted in parts: here of so few keys that short requests are, too. */

import { verifyAll, verifyArgsort } from '@keysweep/conformance';
import { ARRAY_CLASSES, classNamed, distributionsFor, sample } from '@keysweep/conformance/data';
import { makeRequest } from '@keysweep/conformance/suite';
import {
  identity,
  type Operation,
  type Order,
  type Progress,
  type SortRequest,
  type TypedArray,
} from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { sortInParts } from '../src/divide/divide.js';

const MOST = 1000;

const random = testRandom();
const backend = cpu({ threads: 2, maxPartLength: MOST });

afterAll(() => backend.close());

const order = (): Order => (random.below(2) === 0 ? 'ascending' : 'descending');

function keysOf(name: string, distribution: string, length: number): TypedArray {
  const arrayClass = classNamed(name);
  const keys = arrayClass.create(length);
  const found = distributionsFor(arrayClass).find((each) => each.name === distribution);
  if (found === undefined) throw new RangeError(`no distribution '${distribution}' for ${name}`);
  found.fill(keys, random);
  return keys;
}

/** Sorts by `sortInParts`, with a look at each part. */
function inParts(request: SortRequest, look: (part: SortRequest) => void) {
  return sortInParts(request, MOST, (part) => {
    look(part);
    return backend.sort(part);
  });
}

it('a warm-up takes memory for a part, because longer requests are sorted in parts', async () => {
  await backend.warmUp(2 ** 30);
  const keys = keysOf('Uint32Array', 'random bits', 3 * MOST) as Uint32Array;
  const expected = keys.slice().sort();
  await backend.sort(makeRequest('sort', [keys]));
  expect(keys).toEqual(expected);
});

describe(`parts of ${MOST} keys, seed ${random.seed}`, () => {
  it.each(sample(ARRAY_CLASSES, 5))(
    '$name: no part has more, and none is needless',
    async ({ name }) => {
      for (const distribution of ['random bits', '16 distinct', 'all equal', 'one outlier']) {
        const length = 10 * MOST;
        const keys = keysOf(name, distribution, length);
        const lengths: number[] = [];
        const outcome = await inParts(
          makeRequest('argsort', [keys], { order: order() }),
          (part) => {
            expect(part.columns[0].length).toBe(part.shape.length);
            lengths.push(part.shape.length);
          },
        );
        expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(MOST);
        // Two neighbours that would fit into one are there only where a value was divided further.
        expect(lengths.length).toBeLessThan(4 * 10);
        expect(outcome.permutation?.toSorted()).toEqual(identity(length));
      }
    },
  );

  it('rows that tie by one column are sorted by the others alone', async () => {
    const columns = [
      new Uint8Array(3 * MOST).fill(7),
      keysOf('Float64Array', 'random bits', 3 * MOST),
    ];
    const seen: (readonly string[])[] = [];
    await inParts(makeRequest('argsort', columns), ({ shape }) => seen.push(shape.keyTypes));
    expect(seen).toEqual([['f64']]);
    for (const ties of [1, 2, 3]) {
      const tied = Array.from({ length: ties }, () => keysOf('Int32Array', 'two values', 9 * MOST));
      await verifyArgsort(
        backend,
        [...tied, columns[1] as TypedArray].map((c) => c.subarray(0, 3 * MOST)),
        {
          order: order(),
        },
      );
    }
  });

  it('segments: whole ones together, long ones divided, empty ones where parts end', async () => {
    const length = 6 * MOST;
    const starts = [
      0,
      10,
      10,
      MOST - 4,
      MOST,
      MOST + 1,
      2 * MOST + 1,
      2 * MOST + 1,
      5 * MOST,
      length,
    ];
    const segments = Uint32Array.from(starts);
    const most: number[] = [];
    const keys = keysOf('Float32Array', 'random bits', length);
    await inParts(makeRequest('sort', [keys.slice()], { segments }), ({ shape, segments }) => {
      expect(segments?.length ?? 1).toBe(shape.segmentCount);
      most.push(shape.length + (shape.segmentCount > 1 ? shape.segmentCount : 0));
    });
    expect(Math.max(...most)).toBeLessThanOrEqual(MOST);
    await verifyAll(backend, keys, [keysOf('BigInt64Array', 'random bits', length)], {
      segments,
      order: order(),
    });
    // More segments than keys to a part: their number counts, too.
    const many = new Uint32Array(5 * MOST).fill(length);
    many.set(segments);
    await inParts(makeRequest('argsort', [keys], { segments: many.sort() }), ({ shape }) => {
      expect(shape.length + shape.segmentCount).toBeLessThanOrEqual(MOST + 1);
    });
  });

  it('of two or three rows are sorted, too', async () => {
    for (const most of [2, 3]) {
      const small = cpu({ threads: 1, maxPartLength: most });
      for (const keys of [Uint32Array.of(2, 1, 4, 3, 3), Uint32Array.of(5, 4, 3, 2, 1)]) {
        const expected = keys.slice().sort();
        await small.sort(makeRequest('sort', [keys]));
        expect(keys).toEqual(expected);
        const segments = Uint32Array.of(0, 2, 4);
        const pairs = Uint32Array.of(9, 8, 7, 6, 5);
        const values = Uint32Array.of(0, 1, 2, 3, 4);
        await small.sort(makeRequest('sortPairs', [pairs], { values, segments }));
        expect([[...pairs], [...values]]).toEqual([
          [8, 9, 6, 7, 5],
          [1, 0, 3, 2, 4],
        ]);
      }
      await small.close();
    }
  });

  it('lengths around multiples of a part', async () => {
    for (const parts of [1, 2, 4]) {
      for (const more of [-1, 0, 1]) {
        const length = parts * MOST + more;
        const values = keysOf('Uint16Array', 'random bits', length);
        await verifyAll(backend, keysOf('BigUint64Array', '16 distinct', length), [values]);
      }
    }
  });

  it('parts that threads sort, and one that is counted', async () => {
    const large = cpu({ threads: 2, maxPartLength: 270_000, threadsFrom: 2 ** 16 });
    for (const name of sample(['Uint32Array', 'Float64Array'], 1)) {
      const keys = keysOf(name, 'random bits', 300_001);
      await verifyAll(large, keys, [keysOf('Uint8Array', 'random bits', keys.length)], {
        order: order(),
      });
      await verifyArgsort(large, [keysOf('Int8Array', '16 distinct', keys.length), keys]);
    }
    const segments = Uint32Array.of(0, 200_000);
    await verifyAll(large, keysOf('Int8Array', 'random bits', 500_000), [], { segments });
    await large.close();
  });

  it('says what it took', async () => {
    const request = makeRequest('sort', [keysOf('Uint32Array', 'random bits', 5 * MOST)]);
    const { milliseconds, passes, threads, permutation } = await backend.sort(request);
    expect(Object.keys(milliseconds).toSorted()).toEqual(['readback', 'sort', 'upload']);
    // A part's of 22 or 23 bits, and the one that made the parts.
    expect(passes.run).toBeGreaterThanOrEqual(2);
    expect({ threads, permutation }).toEqual({ threads: 1, permutation: undefined });
  });

  it('has no limit of its own', () => {
    const { shape } = makeRequest('argsort', [new Float64Array(1), new Float64Array(1)]);
    expect(cpu().maxLength(shape)).toBe(2 ** 32 - 1);
  });
});

describe('while parts are sorted', () => {
  const length = 5 * MOST;

  /**
   * Sorts pairs or indices; `act` at the `nth` message of `phase`. What it rejected with, and what
   * was written.
   */
  async function during(
    operation: Operation,
    phase: Progress['phase'],
    nth: number,
    act: (keys: TypedArray, abort: AbortController) => void,
  ): Promise<{ error: unknown; isWritten: boolean }> {
    const keys = keysOf('Uint32Array', 'random bits', length);
    const values = keysOf('Uint32Array', 'random bits', length);
    const before = keys.slice();
    const abort = new AbortController();
    let told = 0;
    const onProgress = (progress: Progress): void => {
      if (progress.phase === phase && ++told === nth) act(keys, abort);
    };
    const pairs = operation === 'sortPairs' ? { values } : {};
    const request = makeRequest(operation, [keys], { ...pairs, signal: abort.signal, onProgress });
    const error = await backend.sort(request).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const isWritten = keys.length > 0 && keys.some((key, i) => key !== before[i]);
    expect(told).toBeGreaterThanOrEqual(nth);
    return { error, isWritten };
  }

  const MOMENTS: readonly (readonly [Progress['phase'], number])[] = [
    ['upload', 1],
    ['upload', 2],
    ['sort', 1],
    ['sort', 6],
    ['readback', 1],
  ];

  for (const operation of ['sortPairs', 'argsort'] as const) {
    it.each(MOMENTS)(
      `${operation}: an abort ends it, arrays as they were (%s, %i)`,
      async (phase, nth) => {
        const reason = new Error('enough');
        const { error, isWritten } = await during(operation, phase, nth, (_, abort) =>
          abort.abort(reason),
        );
        expect(error).toBe(reason);
        expect(isWritten).toBe(false);
      },
    );

    it.each(MOMENTS)(`${operation}: what a callback throws does (%s, %i)`, async (phase, nth) => {
      const thrown = new Error('from the callback');
      const { error, isWritten } = await during(operation, phase, nth, () => {
        throw thrown;
      });
      expect(error).toBe(thrown);
      expect(isWritten).toBe(false);
    });

    it.each(MOMENTS)(`${operation}: a detached array does (%s, %i)`, async (phase, nth) => {
      const { error } = await during(operation, phase, nth, ({ buffer }) => {
        structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
      });
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toMatch(/keys was detached/);
    });
  }

  it('progress goes on over all parts, up to all keys', async () => {
    const seen: Progress[] = [];
    const keys = keysOf('Float32Array', 'random bits', length);
    const columns = [keysOf('Int8Array', 'two values', length), keys];
    await backend.sort(makeRequest('argsort', columns, { onProgress: (each) => seen.push(each) }));
    const phases = seen.map(({ phase }) => phase);
    expect(phases.indexOf('sort')).toBeGreaterThan(phases.lastIndexOf('upload'));
    expect(phases.indexOf('readback')).toBeGreaterThan(phases.lastIndexOf('sort'));
    const sorted = seen.filter(({ phase }) => phase === 'sort').map(({ completed }) => completed);
    expect(sorted).toEqual(sorted.toSorted((a, b) => a - b));
    expect(sorted.at(-1)).toBe(length);
    expect(seen.every(({ total }) => total === length)).toBe(true);
    expect(new Set(phases)).toEqual(new Set(['upload', 'sort', 'readback']));
  });

  it('the caller’s arrays are written once, when it was told', async () => {
    const keys = keysOf('Uint32Array', 'random bits', length);
    const before = keys.slice();
    let told = 0;
    const onCommit = (): void => {
      told++;
      expect(keys).toEqual(before);
    };
    await backend.sort({ ...makeRequest('sort', [keys]), onCommit });
    expect(told).toBe(1);
    expect(keys).toEqual(before.sort());
  });

  it('it says so while it moves rows', async () => {
    const keys = keysOf('Float64Array', 'random bits', 2 ** 18);
    // By a clock of which each look takes 20 ms.
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 20;
      return now;
    });
    const completed: number[] = [];
    const onProgress = (progress: Progress): void => {
      if (progress.phase === 'sort') throw new Error('enough');
      if (progress.phase === 'upload') completed.push(progress.completed);
    };
    const sorting = sortInParts(makeRequest('argsort', [keys], { onProgress }), 2 ** 16, () => {
      throw new Error('enough');
    });
    await expect(sorting).rejects.toThrow('enough');
    vi.restoreAllMocks();
    expect(completed).toEqual(completed.toSorted((a, b) => a - b));
    expect(completed.filter((rows) => rows > 0 && rows < keys.length)).not.toEqual([]);
    expect(completed.at(-1)).toBe(keys.length);
  });

  it('it says so only now and then', async () => {
    // By a clock that stands still.
    vi.spyOn(performance, 'now').mockReturnValue(1000);
    const told: number[] = [];
    const keys = keysOf('Float64Array', 'random bits', 2 ** 17);
    const onProgress = ({ phase, completed }: Progress): void => {
      if (phase === 'upload') told.push(completed);
      else throw new Error('enough');
    };
    const sorting = sortInParts(makeRequest('argsort', [keys], { onProgress }), 2 ** 16, () => {
      throw new Error('enough');
    });
    await expect(sorting).rejects.toThrow('enough');
    vi.restoreAllMocks();
    expect(told).toEqual([0, keys.length]);
  });

  it('one that is closed meanwhile rejects, arrays as they were', async () => {
    const closing = cpu({ maxPartLength: MOST });
    const keys = keysOf('Uint32Array', 'random bits', length);
    const before = keys.slice();
    const sorting = closing.sort(makeRequest('sort', [keys]));
    sorting.catch(() => {});
    await closing.close();
    await expect(sorting).rejects.toThrow(/closed/);
    expect(keys).toEqual(before);
  });
});
