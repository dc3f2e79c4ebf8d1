/** The kernels that the calling thread works with by itself, and whether they work here. */

import { type FieldKernels, type KeyFinder, noWebAssembly, type SortWarning } from '@keysweep/core';
import { linkFields } from './fields/fields.js';
import type { CheckedOptions } from './options.js';
import { type CallingThread, linkCallingThread, reasonForPlain } from './pool/calling-thread.js';
import { linkSelection } from './selection/selection.js';
import { CHOOSING } from './sort/choose.js';

/** Whether the compiled kernels are used. */
export interface KernelState {
  /** Why plain TypeScript is used; undefined if the kernels are. */
  readonly plain: string | undefined;
  /** The loss of the kernels, if the caller has not asked for 'plain'. */
  readonly warning?: SortWarning;
}

/** Finds out whether the compiled kernels work here, unless the caller has chosen. */
export function kernelStateFor(kernels: CheckedOptions['kernels']): KernelState {
  if (kernels === 'plain') return { plain: "the caller asked for 'plain'" };
  const plain = reasonForPlain();
  return plain === undefined ? { plain } : { plain, warning: noWebAssembly(plain) };
}

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
