/** Sorts floats with NaNs of many bits by every function and every backend that the engine has. */

import { builtin, createSorter } from 'keysweep';
import { argsortSync, sortPairsSync, sortSync } from 'keysweep/sync';

const LENGTHS = [1, 2, 3, 31, 32, 300, 5000, 100_000];
/** Longer arrays are sorted in one of the orders, with segments or without, as the seed says. */
const SHORT = 300;
const ORDERS = ['ascending', 'descending'];
const BACKENDS = ['auto', 'cpu', 'webgpu', 'webgl2', 'builtin'];

/** Signalling and quiet NaNs of both signs, infinities, zeros. */
const SPECIAL = {
  Float16Array: [0x7c01, 0x7d23, 0xfe12, 0xfc01, 0x7e00, 0x7c00, 0xfc00, 0x8000, 0],
  Float32Array: [
    0x7f812345,
    0xffc00123,
    0xff800001,
    0x7fc00000,
    0x7f800000,
    0xff800000,
    2 ** 31,
    0,
  ],
  Float64Array: [
    0x7ff0000000012345n,
    0xfff8000000000123n,
    0xfff0000000000001n,
    0x7ff8000000000000n,
    0x7ff0000000000000n,
    0xfff0000000000000n,
    2n ** 63n,
    0n,
  ],
};
const INTEGERS = {
  Float16Array: Uint16Array,
  Float32Array: Uint32Array,
  Float64Array: BigUint64Array,
};

let state = 0;

/** The upper 16 bits of a linear congruential generator's next number. */
function next() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state >>> 16;
}

function patternsOf(keys) {
  const Integers = INTEGERS[keys.constructor.name];
  return new Integers(keys.buffer, keys.byteOffset, keys.length);
}

/** Keys within a longer buffer: every second one is special, the others are any bits. */
function makeKeys(Keys, length, Buffer) {
  const size = Keys.BYTES_PER_ELEMENT;
  const keys = new Keys(new Buffer((length + 3) * size), size, length);
  const halves = new Uint16Array(keys.buffer, keys.byteOffset, (length * size) / 2);
  for (let i = 0; i < halves.length; i++) halves[i] = next();
  const [patterns, special] = [patternsOf(keys), SPECIAL[Keys.name]];
  for (let i = 0; i < length; i += 2) patterns[i] = special[next() % special.length];
  return keys;
}

/** A copy on a buffer of the same kind. */
function copyOf(keys) {
  const copy = new keys.constructor(new keys.buffer.constructor(keys.byteLength));
  patternsOf(copy).set(patternsOf(keys));
  return copy;
}

/** Below 0 where `a` comes first: −0 before +0, NaNs last, all of them ties. */
function compare(a, b) {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

const boundsOf = (length, starts) => starts.map((start, i) => [start, starts[i + 1] ?? length]);

/** The rows in their stable order, segment by segment. */
function orderOf(keys, order, starts) {
  const sign = order === 'ascending' ? 1 : -1;
  return boundsOf(keys.length, starts).flatMap(([start, end]) => {
    const rows = Array.from({ length: end - start }, (_, i) => start + i);
    return rows.sort((a, b) => sign * compare(keys[a], keys[b]) || a - b);
  });
}

/** Pages that are not isolated have no shared memory. */
const Shared = globalThis.SharedArrayBuffer ?? ArrayBuffer;

const faults = [];
let cases = 0;

function assertSame(what, found, expected) {
  cases++;
  const at = expected.findIndex((value, i) => found[i] !== value);
  if (found.length === expected.length && at < 0) return;
  const [is, should] = [found[at]?.toString(16), expected[at]?.toString(16)];
  faults.push(`${what}: at ${at} of ${found.length} is ${is}, not ${should}`);
}

/** The order among NaNs is free in a sort of keys: each segment has to have the same bits. */
function assertSorted(what, found, { keys, rows, starts }) {
  const wrong = rows.findIndex((row, i) => compare(found[i], keys[row]) !== 0);
  if (wrong >= 0) faults.push(`${what}: out of order at ${wrong}`);
  for (const [start, end] of boundsOf(keys.length, starts)) {
    const [is, should] = [found, keys].map((array) => patternsOf(array).slice(start, end).sort());
    assertSame(what, is, should);
  }
}

/** Every asynchronous function by one backend. */
async function checkAsync(sorter, what, given, options) {
  const { keys, rows, values } = given;
  const inOrder = rows.map((row) => patternsOf(keys)[row]);
  assertSorted(`sort ${what}`, await sorter.sort(copyOf(keys), options), given);
  assertSorted(`toSorted ${what}`, await sorter.toSorted(keys, options), given);
  const pairs = await sorter.sortPairs(copyOf(keys), values.slice(), options);
  assertSame(`sortPairs ${what}: keys`, patternsOf(pairs.keys), inOrder);
  assertSame(`sortPairs ${what}: values`, pairs.values, rows);
  const places = values.slice();
  for (const [place, row] of rows.entries()) places[row] = place;
  const moved = await sorter.sortPairs(places, copyOf(keys), { backend: options.backend });
  assertSame(`sortPairs ${what}: floats as values`, patternsOf(moved.values), inOrder);
  assertSame(`argsort ${what}`, await sorter.argsort(keys, options), rows);
}

/** Functions that take no segments. */
async function checkWhole(sorter, what, { keys, rows, order }) {
  const inOrder = rows.map((row) => patternsOf(keys)[row]);
  const gathered = await sorter.gather(keys, Uint32Array.from(rows));
  assertSame(`gather ${what}`, patternsOf(gathered), inOrder);
  const columns = [{ keys, order }, new Uint8Array(keys.length)];
  assertSame(`argsort of columns ${what}`, await sorter.argsort(columns), rows);
  for (const k of [1, Math.ceil(keys.length / 2), keys.length]) {
    const top = await sorter.topK(keys, k, { order });
    assertSame(`topK ${k} ${what}: keys`, patternsOf(top.keys), inOrder.slice(0, k));
    assertSame(`topK ${k} ${what}: indices`, top.indices, rows.slice(0, k));
  }
}

function checkSync(what, given, options) {
  const { keys, rows, values } = given;
  assertSorted(`sortSync ${what}`, sortSync(copyOf(keys), options), given);
  const pairs = sortPairsSync(copyOf(keys), values.slice(), options);
  const inOrder = rows.map((row) => patternsOf(keys)[row]);
  assertSame(`sortPairsSync ${what}: keys`, patternsOf(pairs.keys), inOrder);
  assertSame(`sortPairsSync ${what}: values`, pairs.values, rows);
  assertSame(`argsortSync ${what}`, argsortSync(keys, options), rows);
}

/**
 * Floats that rise wherever a look at a few keys falls, with others of both signs between: they
 * are sorted at once, or left as they were if no backend can sort them.
 */
async function checkFailing(Keys) {
  const what = `sort of ${Keys.name} by a backend that fails`;
  const keys = makeKeys(Keys, 10_000, ArrayBuffer);
  keys[0] = 0.5;
  for (let at = 1; at < keys.length; at += keys.length / 16) keys[at] = at;
  keys[keys.length / 2] = 5000;
  const given = { keys, rows: orderOf(keys, 'ascending', [0]), starts: [0] };
  const failing = { ...builtin(), name: 'cpu', sort: () => Promise.reject(new Error('broken')) };
  const sorter = await createSorter({ backends: [failing], onWarning() {} });
  const copy = copyOf(keys);
  const isSorted = await sorter.sort(copy).then(
    () => true,
    () => false,
  );
  if (isSorted) assertSorted(what, copy, given);
  else assertSame(what, patternsOf(copy), patternsOf(keys));
  await sorter.close();
}

/** What came out wrong, of keys that `seed` makes. */
export async function findNanFaults(seed) {
  state = seed >>> 0;
  const sorter = await createSorter({ onWarning() {} });
  const capabilities = await sorter.capabilities();
  const backends = BACKENDS.filter((name) => name === 'auto' || capabilities[name]?.available);
  const types = Object.keys(SPECIAL).filter((name) => name in globalThis);

  for (const name of types) {
    await checkFailing(globalThis[name]);
    for (const length of LENGTHS) {
      const Buffer = length % 2 === 0 ? ArrayBuffer : Shared;
      const keys = makeKeys(globalThis[name], length, Buffer);
      const values = Uint32Array.from(keys, (_, i) => i);
      const drawn = next() % 4;
      for (const [i, order] of ORDERS.entries()) {
        for (const isDivided of [false, true]) {
          if (length > SHORT && 2 * i + Number(isDivided) !== drawn) continue;
          const starts = isDivided ? [0, length >> 2, length >> 1] : [0];
          const given = { keys, values, order, starts, rows: orderOf(keys, order, starts) };
          const segments = isDivided ? { segments: Uint32Array.from(starts) } : {};
          const what = `of ${length} ${name}, ${order}, ${starts.length} segments`;
          checkSync(what, given, { order, ...segments });
          for (const backend of backends) {
            await checkAsync(sorter, `${what}, ${backend}`, given, { order, backend, ...segments });
          }
          if (!isDivided) await checkWhole(sorter, what, given);
        }
      }
    }
  }
  await sorter.close();
  return { types, backends, cases, wrong: faults.length, faults: faults.slice(0, 5) };
}
