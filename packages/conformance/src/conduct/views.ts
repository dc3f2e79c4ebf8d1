/** Checks of the memory that arrays lie in: views at odd offsets, on every kind of buffer. */

import { type Backend, copyOf, type TypedArray } from '@keysweep/core';
import type { Random } from '@keysweep/core/random';
import type { Check } from '../check.js';
import { ARRAY_CLASSES, type ArrayClass } from '../data/arrays.js';
import { fillSpecial, fillWithBits } from '../data/distributions.js';
import { serve, verifyArgsort } from '../request/verify.js';
import { assertNoFault, assertSameBits } from '../verify/asserts.js';
import { faultOfGather, faultOfSort } from '../verify/faults.js';

/** A kind of memory that a view may lie on. */
interface Memory {
  readonly name: string;
  readonly create: (bytes: number) => ArrayBufferLike;
  /** Views follow the buffer's length. */
  readonly tracking?: boolean;
}

const plain: Memory = { name: 'an ArrayBuffer', create: (bytes) => new ArrayBuffer(bytes) };
const resizable = (bytes: number): ArrayBuffer =>
  new ArrayBuffer(bytes, { maxByteLength: 2 * bytes });
const growable = (bytes: number): SharedArrayBuffer =>
  new SharedArrayBuffer(bytes, { maxByteLength: 2 * bytes });

const MEMORIES: readonly Memory[] = [
  plain,
  { name: 'a resizable ArrayBuffer', create: resizable },
  { name: 'a resizable ArrayBuffer, length-tracking', create: resizable, tracking: true },
];

const SHARED_MEMORIES: readonly Memory[] = [
  { name: 'a SharedArrayBuffer', create: (bytes) => new SharedArrayBuffer(bytes) },
  { name: 'a growable SharedArrayBuffer', create: growable },
  { name: 'a growable SharedArrayBuffer, length-tracking', create: growable, tracking: true },
];

/** Elements in front of a view: an odd number, so that it is aligned to no more than an element. */
const FRONT = 3;
/** Elements behind it. */
const BEHIND = 2;

/** A view of `length` elements amid others; `assertAlone` throws when one of those was changed. */
function lend(
  arrayClass: ArrayClass,
  length: number,
  memory: Memory,
  random: Random,
): { readonly view: TypedArray; readonly assertAlone: (what: string) => void } {
  const { bytes, create } = arrayClass;
  const buffer = memory.create((FRONT + length + (memory.tracking ? 0 : BEHIND)) * bytes);
  const whole = new Uint8Array(buffer);
  fillWithBits(whole, random);
  const before = whole.slice();
  const start = FRONT * bytes;
  const view = memory.tracking ? create(buffer, start) : create(buffer, start, length);
  fillSpecial(view, random);
  return {
    view,
    assertAlone(what) {
      const end = start + length * bytes;
      assertSameBits(`${what}: in front`, whole.slice(0, start), before.slice(0, start));
      assertSameBits(`${what}: behind`, whole.slice(end), before.slice(end));
    },
  };
}

async function checkView(
  backend: Backend,
  random: Random,
  arrayClass: ArrayClass,
  length: number,
  memory: Memory,
): Promise<void> {
  const what = `${arrayClass.name}(${length}) on ${memory.name}`;
  const lent = lend(arrayClass, length, memory, random);
  const original = copyOf(lent.view);
  const order = await verifyArgsort(backend, [lent.view]);
  await serve(backend, 'sort', [lent.view], {});
  assertNoFault(`sort of ${what}`, faultOfSort(lent.view, original, order));
  lent.assertAlone(`sort of ${what}`);

  const keys = lend(arrayClass, length, memory, random);
  keys.view.set(original as never);
  const values = lend(
    ARRAY_CLASSES[random.below(ARRAY_CLASSES.length)] as ArrayClass,
    length,
    memory,
    random,
  );
  const originalValues = copyOf(values.view);
  await serve(backend, 'sortPairs', [keys.view], { values: values.view });
  assertNoFault(`sortPairs of ${what}: keys`, faultOfGather(keys.view, original, order));
  assertNoFault(`sortPairs of ${what}: values`, faultOfGather(values.view, originalValues, order));
  keys.assertAlone(`sortPairs of ${what}: keys`);
  values.assertAlone(`sortPairs of ${what}: values`);
}

const viewsOn = (name: string, memories: readonly Memory[]): Check => ({
  name: `sorts views at odd offsets on ${name}, and leaves their neighbours as they are`,
  async run(subject) {
    const { backend, random, effort } = subject;
    // Long views take most of the time.
    const long = subject.lengths.slice(0, 1);
    const first = random.below(memories.length);
    for (const [i, memory] of memories.entries()) {
      for (const [j, arrayClass] of ARRAY_CLASSES.entries()) {
        const isTurn = (i + j + first) % memories.length === 0;
        if (effort === 'sample' && !isTurn) continue;
        // In a sample one class a memory, else each class on one memory.
        const isLong = effort === 'sample' ? j % 4 === i : isTurn;
        // Long enough to hold every special value.
        const shortest = effort === 'sample' ? 100 : 3;
        for (const length of [1, shortest + random.below(2000), ...(isLong ? long : [])]) {
          await checkView(backend, random, arrayClass, length, memory);
        }
      }
    }
  },
});

const sharedCheck: Check = {
  ...viewsOn('shared memory', SHARED_MEMORIES),
  ...(typeof SharedArrayBuffer === 'undefined' && {
    missing: 'this page has no SharedArrayBuffer: it is not isolated from other origins',
  }),
};

/** The checks of what memory a backend reads and writes. */
export const VIEW_CHECKS: readonly Check[] = [viewsOn('memory of its own', MEMORIES), sharedCheck];
