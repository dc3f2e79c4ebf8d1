/**
 * The memory that reading a file may take. A file of a few kilobytes can claim billions of values,
 * so every reader counts its memory here before it takes it.
 */

import { describe } from '@keysweep/core';
import { FileError } from './error.js';
import { allocateBytes } from './stored/take.js';

/**
 * The default: this many times the bytes of the file, and `SPARE` bytes more. Real tables shrink by
 * a factor of 2 to 30. Long stretches of one value shrink without any bound, and somebody who has
 * such a file says `memory`, because nothing tells it from a file that is made to do harm.
 */
const TIMES = 64;
const SPARE = 2 ** 26;

/** Reading a file would take more memory than the option `memory` allows. */
export class MemoryError extends FileError {
  override readonly name: string = 'MemoryError';
  /** Bytes that reading takes; an estimate for text in dictionaries. */
  readonly needed: number;
  /** Bytes that were allowed. */
  readonly limit: number;

  constructor(file: string, needed: number, limit: number) {
    super(
      `${file} takes ${needed} bytes of memory, and the option memory allows ${limit}: ` +
        `open it with memory: ${needed} if you trust it`,
    );
    this.needed = needed;
    this.limit = limit;
  }
}

/** @throws TypeError or RangeError unless `memory` is a number of bytes, or undefined */
export function checkMemory(memory: unknown): void {
  if (memory === undefined) return;
  const what = 'how.memory must be a whole number of bytes, 1 or more';
  if (typeof memory !== 'number') throw new TypeError(`${what}, got ${describe(memory)}`);
  if (memory >= 1 && (Number.isSafeInteger(memory) || memory === Number.POSITIVE_INFINITY)) return;
  throw new RangeError(`${what}, got ${memory}`);
}

/** What a file may take in all: while it is read, and in columns that were read. */
export class MemoryBudget {
  readonly #file: string;
  readonly #limit: number;
  /** Whether columns are in memory that other threads see. */
  readonly shared: boolean;
  /** Bytes of columns, by their place: a column that is read again counts once. */
  readonly #columns = new Map<number, number>();
  /** Bytes that are counted now. */
  #total = 0;

  constructor(file: string, size: number, limit: number = TIMES * size + SPARE, shared = false) {
    this.#file = file;
    this.#limit = limit;
    this.shared = shared;
  }

  /** Whether `bytes` more would be within what is allowed. */
  hasRoom(bytes: number): boolean {
    return this.#total + bytes <= this.#limit;
  }

  /** Begins to count what one step takes. @throws MemoryError where that is too much */
  begin({ expected, spare = 0 }: Forecast): StepAccount {
    return new StepAccount(expected, this.shared, (more, rest) => {
      const total = this.#total + more;
      if (more > 0 && total > this.#limit) {
        // A damaged file may ask for more than any number that counts exactly.
        const needed = Math.min(Math.ceil(total + rest + spare), Number.MAX_SAFE_INTEGER);
        throw new MemoryError(this.#file, needed, this.#limit);
      }
      this.#total = total;
    });
  }

  /** Reads the column at `place`; `kept` says how many bytes the column itself has. */
  async column<T>(
    place: number,
    expected: Forecast,
    read: (account: StepAccount) => Promise<T>,
    kept: (column: T) => number,
  ): Promise<T> {
    this.#keep(place, 0);
    const account = this.begin(expected);
    try {
      const column = await read(account);
      account.end();
      this.#keep(place, kept(column));
      return column;
    } finally {
      account.end();
    }
  }

  #keep(place: number, bytes: number): void {
    this.#total += bytes - (this.#columns.get(place) ?? 0);
    this.#columns.set(place, bytes);
  }
}

/** What a step will take, as far as the file tells. */
export interface Forecast {
  /** Bytes that are counted at once. */
  readonly expected: number;
  /** Bytes that it may take besides: they are counted when they are taken, but errors name them. */
  readonly spare?: number;
}

/** Counts what a step takes, or a part of one. */
export interface Account {
  /**
   * Counts `bytes`, which are to be taken now. `rest` is what is taken besides later, as far as
   * that can be told.
   * @throws MemoryError where they are too many
   */
  take(bytes: number, rest?: number): void;
  /** Counts `bytes` that are not held any more. */
  give(bytes: number): void;
}

/** Counts what one step takes. */
export class StepAccount implements Account {
  /** Whether columns are in memory that other threads see. */
  readonly shared: boolean;
  readonly #charge: (more: number, rest: number) => void;
  #used = 0;
  /** The most that was in use, and at least what was expected. */
  #charged = 0;

  constructor(expected: number, shared: boolean, charge: (more: number, rest: number) => void) {
    this.shared = shared;
    this.#charge = charge;
    charge(expected, 0);
    this.#charged = expected;
  }

  take(bytes: number, rest = 0): void {
    const more = Math.max(0, this.#used + bytes - this.#charged);
    this.#charge(more, rest);
    this.#charged += more;
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }

  /** Does `work`; nothing that it takes through its account is held when it is done. */
  during<T>(work: (account: Account) => T): T {
    let taken = 0;
    const take = (bytes: number, rest?: number): void => {
      this.take(bytes, rest);
      taken += bytes;
    };
    try {
      return work({ take, give: (bytes) => take(-bytes) });
    } finally {
      this.give(taken);
    }
  }

  /** `size` bytes of zeros, for a column. @throws MemoryError where they are too many */
  allocate(size: number): Uint8Array<ArrayBuffer> {
    this.take(size);
    return allocateBytes(size, this.shared);
  }

  /** `size` bytes of zeros, for work that is not kept. @throws as `allocate` */
  allocateWork(size: number): Uint8Array<ArrayBuffer> {
    this.take(size);
    return allocateBytes(size);
  }

  /** Ends the step: nothing of it is held any more. */
  end(): void {
    this.#charge(-this.#charged, 0);
    this.#charged = 0;
  }
}

/** Has steps of reading a file wait: some run at a time, as many as their memory allows. */
export class StepQueue {
  readonly #atOnce: number;
  readonly #memory: MemoryBudget;
  readonly #waiting: { readonly bytes: number; readonly begin: () => void }[] = [];
  #running = 0;

  constructor(atOnce: number, memory: MemoryBudget) {
    this.#atOnce = atOnce;
    this.#memory = memory;
  }

  /** Does `work`, which takes up to `bytes`, when it is its turn. One alone is never refused. */
  async wait<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    try {
      return await new Promise<T>((resolve) => {
        // It counts its memory when it begins, and not in a later turn: the next one looks at that.
        this.#waiting.push({ bytes, begin: () => resolve(work()) });
        this.#next();
      });
    } finally {
      this.#running--;
      this.#next();
    }
  }

  /** Begins the next steps, as many as may. */
  #next(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || this.#running >= this.#atOnce) return;
      if (this.#running > 0 && !this.#memory.hasRoom(first.bytes)) return;
      this.#waiting.shift();
      this.#running++;
      first.begin();
    }
  }
}
