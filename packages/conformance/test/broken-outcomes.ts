/** Backends that report wrongly, and the names of the checks that have to see it. */

import type { Backend, KeyArray, SortOutcome, SortRequest } from '@keysweep/core';
import { type Broken, OracleBackend } from './oracle-backend.js';

/** A backend that says something else of what it did. */
const telling = (change: (outcome: SortOutcome, request: SortRequest) => SortOutcome) => {
  class Changed extends OracleBackend {
    protected override outcome(
      request: SortRequest,
      permutation: Uint32Array<ArrayBuffer> | undefined,
    ) {
      return change(super.outcome(request, permutation), request);
    }
  }
  return (): Backend => new Changed();
};

const exact = /^sorts (\w+ keys|any type)/;

/** Backends that answer approximate requests with `change`d keys. */
const approximating = (change: (keys: Float32Array) => void, bound: number): (() => Backend) => {
  class Changed extends OracleBackend {
    protected override gatherKeys(keys: KeyArray, permutation: Uint32Array): KeyArray {
      const sorted = super.gatherKeys(keys, permutation);
      if (this.#approximate) change(sorted as Float32Array);
      return sorted;
    }
    protected override order(request: SortRequest): Uint32Array<ArrayBuffer> {
      this.#approximate = request.shape.approximate;
      return super.order(request);
    }
    protected override outcome(
      request: SortRequest,
      permutation: Uint32Array<ArrayBuffer> | undefined,
    ) {
      const outcome = super.outcome(request, permutation);
      return request.shape.approximate ? { ...outcome, bound } : outcome;
    }
    #approximate = false;
  }
  return () => new Changed();
};

/** Backends that are wrong about approximate order. */
export const BROKEN_APPROXIMATE: readonly Broken[] = [
  {
    flaw: 'rounds approximate keys',
    caughtBy: /^sorts approximately/,
    create: approximating((keys) => void keys.set(keys.map(Math.round)), 1e-4),
  },
  {
    flaw: 'gives a bound that says nothing',
    caughtBy: /^sorts approximately/,
    create: approximating(() => {}, 1000),
  },
  {
    flaw: 'goes over its bound',
    caughtBy: /^sorts approximately/,
    create: approximating((keys) => void keys.subarray(0, 2).reverse(), 1e-9),
  },
  {
    flaw: 'has a bound in an exact sort',
    caughtBy: exact,
    create: telling((outcome) => ({ ...outcome, bound: 1e-6 })),
  },
];

/** Backends that say the wrong thing about what they did. */
export const BROKEN_OUTCOMES: readonly Broken[] = [
  {
    flaw: 'measures no time',
    caughtBy: exact,
    create: telling((outcome) => ({ ...outcome, milliseconds: { sort: Number.NaN } })),
  },
  {
    flaw: 'counts passes below zero',
    caughtBy: exact,
    create: telling((outcome) => ({ ...outcome, passes: { run: 1, skipped: -1 } })),
  },
  {
    flaw: 'gives a permutation for every sort',
    caughtBy: exact,
    create: telling((outcome, { shape }) => ({
      ...outcome,
      permutation: outcome.permutation ?? new Uint32Array(shape.length),
    })),
  },
  {
    flaw: 'gives no permutation',
    caughtBy: /every length$|^argsorts/,
    create: telling((outcome) => ({ ...outcome, permutation: undefined })),
  },
  {
    flaw: 'sorts the keys of argsort too',
    caughtBy: /every length$/,
    create: telling((outcome, { shape, columns: [keys] }) => {
      if (shape.operation === 'argsort') keys.sort();
      return outcome;
    }),
  },
  {
    flaw: 'goes back in its progress',
    caughtBy: /^reports progress/,
    create: telling((outcome, { onProgress }) => {
      onProgress?.({ phase: 'sort', completed: 0, total: 1 });
      return outcome;
    }),
  },
  {
    flaw: 'goes over the total of its progress',
    caughtBy: /^reports progress/,
    create: telling((outcome, { onProgress }) => {
      onProgress?.({ phase: 'readback', completed: 2, total: 1 });
      return outcome;
    }),
  },
  {
    flaw: 'reports no progress',
    caughtBy: /^reports progress/,
    create: () =>
      new (class extends OracleBackend {
        override sort(request: SortRequest): Promise<SortOutcome> {
          return super.sort({ ...request, onProgress: undefined });
        }
      })(),
  },
];
