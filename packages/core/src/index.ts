/**
 * @keysweep/core: the contract of a backend, the types of keys and their order, and errors.
 */

export type { CancelSignal } from './cancel-signal.js';
export { ClosedError } from './closed-error.js';
export {
  BACKEND_NAMES,
  type Backend,
  type BackendName,
  type CallProgress,
  type Capabilities,
  type Fallback,
  type GpuMilliseconds,
  type Milliseconds,
  type Operation,
  type Passes,
  type Phase,
  type Probe,
  type Progress,
  type RequestShape,
  type SortOptions,
  type SortOutcome,
  type SortReport,
  type SortRequest,
  type SortWarning,
  type WarningCode,
} from './contract.js';
export {
  arrayNameOf,
  type BitsArray,
  bitsOf,
  copyOf,
  emptyLike,
  KEY_TYPES,
  type KeyArray,
  type KeyKind,
  type KeyOf,
  type KeyTraits,
  type KeyType,
  keyTraits,
  keyTypeOf,
  type OnArrayBuffer,
  plainView,
  traitsOf,
  type ValueArray,
} from './elements.js';
export { BackendFailedError, BackendUnavailableError } from './errors.js';
export { FIELD_ROWS, SPELT_STRINGS, SPELT_UNITS } from './field-rows.js';
export type { TypedArray } from './intrinsics.js';
export type { KeyBits, Order } from './keys/order.js';
export {
  areOrderWords,
  type OrderedColumn,
  type OrderWords,
  orderWords,
  roomForWords,
} from './keys/order-words.js';
export {
  bitLength,
  type Digit,
  type DigitRange,
  limitRange,
  skippedBits,
  splitDigits,
} from './keys/range.js';
export {
  type KeyTransform,
  keysToWords,
  keyTransform,
  wordsToKeys,
  wordsToNarrowKeys,
} from './keys/transform.js';
export { gather, gatherSteps, identity, identitySteps, pickSteps } from './permutation.js';
export {
  copyChosen,
  countOnes,
  listRows,
  rowsChosen,
  sortChosen,
  type Unchosen,
} from './request/chosen.js';
export { commit, commitSteps, type Result } from './request/commit.js';
export { plainRequest } from './request/plain-request.js';
export { plainShape } from './request/plain-shape.js';
export type { ChosenRows } from './rows.js';
export type {
  Letters,
  Speller,
  SpellingPlan,
  SpellingText,
  SpellRequest,
  Spelt,
  SpeltText,
} from './spelling-contract.js';
export type {
  FieldKernels,
  FindKeys,
  FoundKeys,
  GatherRequest,
  Integers,
  KeyFinder,
  Move,
  Sought,
} from './table-contract.js';

// Internal from here: what keysweep's own packages share. It may change in any release.

export type { GlobalInstance } from './global-types.js';
export {
  assertUnchanged,
  bufferOf,
  byteOffsetOf,
  hasNaN,
  lengthOf,
  reverseArray,
  setArray,
  sortArray,
  subarrayOf,
  typedArrayName,
} from './intrinsics.js';
export { mergeRuns } from './merge.js';
export { printable } from './printable.js';
export { isInPage } from './realm.js';
export { describe } from './request/describe.js';
export { inTurn } from './request/in-turn.js';
export { assertGoesOn } from './request/interruption.js';
export { nextTask } from './request/next-task.js';
export { readOptions } from './request/options.js';
export { Clock, GpuRequest } from './request/request-lifecycle.js';
export { RequestQueue } from './request/request-queue.js';
export {
  COPY_BYTES,
  type CopyElements,
  checked,
  copySteps,
  type Pause,
  pauses,
  runAtOnce,
  runInSlices,
  slicesOf,
  touchPages,
} from './request/slices.js';
export { readClock } from './request/time.js';
export { after, every } from './request/timers.js';
export { isTurnDue, nextTurn, noteSorted, TIMED_FROM } from './request/turns.js';
export { untilAborted } from './request/until-aborted.js';
export { segmentNumberSteps } from './segments.js';
export { isSoftwareRenderer } from './software.js';
export { noWebAssembly } from './warnings.js';
