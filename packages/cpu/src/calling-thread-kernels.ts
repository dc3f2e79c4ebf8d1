/** What the calling thread sorts by itself with, while it needs no other thread. */

import type { FieldKernels, KeyFinder } from '@keysweep/core';
import { linkFields } from './fields/fields.js';
import { type CallingThread, linkCallingThread } from './pool/calling-thread.js';
import { linkSelection } from './selection/selection.js';
import { CHOOSING } from './sort/choose.js';

/** Kernels of the calling thread, each linked to its memory when it is first needed. */
export class CallingThreadKernels {
  #sorter: CallingThread | undefined;
  #fields: FieldKernels | undefined;
  #keyFinder: KeyFinder | undefined;

  /** Bytes of the memory that it sorts in. */
  get bytes(): number {
    return this.#sorter?.arena.bytes ?? 0;
  }

  get sorter(): CallingThread {
    this.#sorter ??= linkCallingThread(CHOOSING);
    return this.#sorter;
  }

  /** Undefined if there is no memory for them. */
  get fields(): FieldKernels | undefined {
    this.#fields ??= linkFields();
    return this.#fields;
  }

  /** Undefined if there is no memory for it. */
  get keyFinder(): KeyFinder | undefined {
    this.#keyFinder ??= linkSelection();
    return this.#keyFinder;
  }

  /** Drops all memory. What is needed again is linked anew. */
  drop(): void {
    this.#sorter = undefined;
    this.#fields = undefined;
    this.#keyFinder = undefined;
  }
}
