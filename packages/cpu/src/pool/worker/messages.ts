/** What a page and its workers say to each other. */

import type { KeyArray, Progress, RequestShape, SortOutcome, ValueArray } from '@keysweep/core';
import type { CrewData, Share, Task } from '../task.js';

/** A request on its way to a worker; its arrays are copies, and the worker's from then on. */
export interface Parcel {
  readonly shape: RequestShape;
  readonly columns: readonly [KeyArray, ...KeyArray[]];
  readonly values: ValueArray | undefined;
  readonly segments: Uint32Array | undefined;
  /** Whether the worker shall do without WebAssembly. */
  readonly plain: boolean;
  /** Whether the caller wants to hear how far it is. */
  readonly tells: boolean;
}

/** A parcel that was sorted. */
export interface SortedParcel {
  readonly outcome: SortOutcome;
  /** The sorted keys, but for argsort. */
  readonly keys: KeyArray | undefined;
  readonly values: ValueArray | undefined;
}

/** Questions, and what is answered to each: in the order in which they were asked. */
export interface Questions {
  /** The name of a lock to hold for life. Answered by whether it is held. */
  readonly greet: { readonly ask: string | undefined; readonly answer: boolean };
  /** Joins a crew. */
  readonly join: { readonly ask: CrewData; readonly answer: undefined };
  /** A task of a member of a crew. */
  readonly task: { readonly ask: Task; readonly answer: Share };
  /** A whole request. */
  readonly serve: { readonly ask: Parcel; readonly answer: SortedParcel };
  /** Takes memory for so many 32-bit keys. */
  readonly touch: { readonly ask: number; readonly answer: undefined };
}

/** A question as it is posted. */
export type Question = {
  [Kind in keyof Questions]: { readonly kind: Kind; readonly ask: Questions[Kind]['ask'] };
}[keyof Questions];

/** What a worker posts: how far it is with the first question that waits, its answer, or its end. */
export type Reply =
  | { readonly progress: Progress }
  | { readonly answer: Questions[keyof Questions]['answer'] }
  | { readonly error: string };
