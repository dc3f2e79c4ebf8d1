/** Backends that sort rightly and behave badly, and the names of the checks that have to see it. */

import {
  type Backend,
  type BitsArray,
  bitsOf,
  type Probe,
  type RequestShape,
  type Result,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import { type Broken, OracleBackend } from './oracle-backend.js';

/** A backend that does something before the request is served. */
const first = (act: (request: SortRequest) => SortRequest | undefined): (() => Backend) => {
  class Changed extends OracleBackend {
    override async sort(request: SortRequest): Promise<SortOutcome> {
      return super.sort(act(request) ?? request);
    }
  }
  return () => new Changed();
};

/** A backend that writes its results in a way of its own. */
const writing = (write: (results: readonly Result<BitsArray>[]) => void): (() => Backend) => {
  class Changed extends OracleBackend {
    protected override write(results: readonly Result<BitsArray>[]): void {
      write(results);
    }
  }
  return () => new Changed();
};

const MEMORY: readonly Broken[] = [
  {
    flaw: 'writes where the buffer begins, not where the view does',
    caughtBy: /^sorts views/,
    create: writing((results) => {
      for (const { target, bits } of results) {
        new (bits.constructor as Uint8ArrayConstructor)(target.buffer).set(bits);
      }
    }),
  },
  {
    flaw: 'writes one element too many',
    caughtBy: /^sorts views/,
    create: writing((results) => {
      for (const { target, bits } of results) {
        bitsOf(target).set(bits);
        const { buffer, byteOffset, byteLength } = target;
        const end = byteOffset + byteLength;
        if (end < buffer.byteLength) new Uint8Array(buffer)[end]! ^= 1;
      }
    }),
  },
  {
    flaw: 'writes one element too early',
    caughtBy: /^sorts views/,
    create: writing((results) => {
      for (const { target, bits } of results) {
        bitsOf(target).set(bits);
        if (target.byteOffset > 0) new Uint8Array(target.buffer)[target.byteOffset - 1]! ^= 1;
      }
    }),
  },
  {
    flaw: 'cannot read shared memory',
    caughtBy: /^sorts views .* shared/,
    create: first(({ columns: [keys] }) => {
      if (keys.buffer instanceof SharedArrayBuffer) throw new TypeError('shared');
      return undefined;
    }),
  },
];

const OTHER_REASON = new Error('aborted');

const INTERRUPTED: readonly Broken[] = [
  {
    flaw: 'ignores a signal',
    caughtBy: / when aborted /,
    create: first((request) => ({ ...request, signal: undefined })),
  },
  {
    flaw: 'looks at a signal only at first',
    caughtBy: /aborted meanwhile/,
    create: first((request) => {
      if (request.signal?.aborted) throw request.signal.reason;
      return { ...request, signal: undefined };
    }),
  },
  {
    flaw: 'rejects with a reason of its own',
    caughtBy: / when aborted /,
    create: first(({ signal, ...request }) => ({
      ...request,
      signal: signal && {
        get aborted() {
          return signal.aborted;
        },
        reason: OTHER_REASON,
        addEventListener: () => {},
        removeEventListener: () => {},
      },
    })),
  },
  {
    flaw: 'writes before it looks at the signal',
    caughtBy: / when aborted /,
    create: () =>
      new (class extends OracleBackend {
        override async sort(request: SortRequest): Promise<SortOutcome> {
          const outcome = await super.sort({ ...request, signal: undefined });
          this.assertNotAborted(request);
          return outcome;
        }
      })(),
  },
  {
    flaw: 'writes half of the result before an abort',
    caughtBy: /aborted meanwhile/,
    create: () =>
      new (class extends OracleBackend {
        override async sort(request: SortRequest): Promise<SortOutcome> {
          this.assertNotAborted(request);
          await this.turn();
          if (request.signal?.aborted) request.columns[0].subarray(1).reverse();
          return super.sort(request);
        }
      })(),
  },
  {
    flaw: 'leaves listeners behind',
    caughtBy: /^leaves no listener/,
    create: first(({ signal }) => void signal?.addEventListener('abort', () => {})),
  },
  {
    flaw: 'does not notice a change of length',
    caughtBy: / detached or resized /,
    create: writing((results) => {
      for (const { target, bits } of results) {
        if (target.length > 0) bitsOf(target).set(bits.subarray(0, target.length));
      }
    }),
  },
  {
    flaw: 'notices a change of the values when the keys are written',
    caughtBy: / detached or resized /,
    create: writing((results) => {
      for (const { target, bits, length } of results) {
        if (target.length !== length) throw new TypeError('changed');
        bitsOf(target).set(bits);
      }
    }),
  },
  {
    flaw: 'throws another error where an array was taken away',
    caughtBy: / detached or resized /,
    create: writing((results) => {
      if (results.some(({ target, length }) => target.length !== length))
        throw new Error('changed');
      for (const { target, bits } of results) bitsOf(target).set(bits);
    }),
  },
];

/** Sorts one request in memory that is another's as well. */
class SharedScratch extends OracleBackend {
  #permutation: Uint32Array<ArrayBuffer> = new Uint32Array();

  override async sort(request: SortRequest): Promise<SortOutcome> {
    this.#permutation = this.order(request);
    await this.turn();
    const own = this.order(request);
    // Where another request came in between, its permutation is taken, as far as it makes sense.
    const { length } = request.shape;
    const mixed = this.#permutation.length === length ? this.#permutation : own.reverse();
    const outcome = await super.sort(request);
    return request.shape.operation === 'argsort' ? { ...outcome, permutation: mixed } : outcome;
  }
}

class Probing extends OracleBackend {
  override async probe(): Promise<Probe> {
    return { available: false, reason: 'the wind is wrong' };
  }
}

class SortsAfterClose extends OracleBackend {
  override async close(): Promise<void> {}
}

class BrokenByRelease extends OracleBackend {
  override async release(): Promise<void> {
    this.closed = true;
  }
}

class BrokenByWarmUp extends OracleBackend {
  override async warmUp(maxLength: number): Promise<void> {
    if (maxLength === 0) throw new RangeError('nothing to warm up for');
  }
}

class RejectsSecondClose extends OracleBackend {
  override async close(): Promise<void> {
    this.assertOpen();
    return super.close();
  }
}

class AbandonsOnClose extends OracleBackend {
  protected override assertOpen(): void {
    if (this.closed) throw new Error('gone');
  }
}

class WritesOnClose extends OracleBackend {
  override async sort(request: SortRequest): Promise<SortOutcome> {
    const { columns, shape } = request;
    await this.turn();
    if (this.closed && shape.length > 1) columns[0].reverse();
    return super.sort(request);
  }
}

class LengthByLength extends OracleBackend {
  override maxLength({ length }: RequestShape): number {
    return 2 * length;
  }
}

class NoLength extends OracleBackend {
  override maxLength(): number {
    return Number.NaN;
  }
}

const LIFE: readonly Broken[] = [
  {
    flaw: 'mixes requests up',
    caughtBy: /^serves several requests/,
    create: () => new SharedScratch(),
  },
  {
    flaw: 'says that it is not available',
    caughtBy: /^probes/,
    create: () => new Probing(),
  },
  {
    flaw: 'sorts when closed',
    caughtBy: /^probes/,
    create: () => new SortsAfterClose(),
  },
  {
    flaw: 'does not survive a release',
    caughtBy: /^probes|^serves requests while/,
    create: () => new BrokenByRelease(),
  },
  {
    flaw: 'cannot be warmed up for nothing',
    caughtBy: /^probes/,
    create: () => new BrokenByWarmUp(),
  },
  {
    flaw: 'cannot be closed twice',
    caughtBy: /^probes/,
    create: () => new RejectsSecondClose(),
  },
  {
    flaw: 'rejects what waits at a close with some error',
    caughtBy: /^probes| closed meanwhile/,
    create: () => new AbandonsOnClose(),
  },
  {
    flaw: 'writes at a close',
    caughtBy: / closed meanwhile/,
    create: () => new WritesOnClose(),
  },
  {
    flaw: 'takes the length into account in its largest length',
    caughtBy: /^gives maxLength/,
    create: () => new LengthByLength(),
  },
  {
    flaw: 'has no number for its largest length',
    caughtBy: /^gives maxLength/,
    create: () => new NoLength(),
  },
];

/** Backends that behave badly. */
export const BROKEN_CONDUCT: readonly Broken[] = [...MEMORY, ...INTERRUPTED, ...LIFE];
