/**
 * Sorts by every function and every backend, in a realm that may have nothing but the language.
 * Bundled with the packages into one script, whose result is `globalThis.result`.
 */

import { RadixSorter } from '@keysweep/webgpu';
import { argsort, createSorter, gather, select, sort, sortPairs, topK, toSorted } from 'keysweep';
import { argsortSync, releaseSync, sortPairsSync, sortSync } from 'keysweep/sync';

/** Each with its lengths: below and above those that the engine's own sort, and slices, are for. */
const KEYS = [
  [Float32Array, [1, 20, 1000, 200_000]],
  [BigInt64Array, [1, 20, 1000]],
  [Int8Array, [1, 20, 1000]],
];

/** Keys that differ, in no order. */
function makeKeys(Keys, length) {
  const isBig = Keys === BigInt64Array;
  return Keys.from({ length }, (_, i) => {
    const number = ((i + 1) * 2_654_435_761) % 4_294_967_291;
    return isBig ? BigInt(number) : number;
  });
}

/** The order of the rows, stable, by a merge sort that no engine has a say in. */
function orderOf(keys) {
  let rows = Array.from(keys, (_, i) => [i]);
  while (rows.length > 1) {
    const merged = [];
    for (let i = 0; i < rows.length; i += 2) merged.push(merge(keys, rows[i], rows[i + 1] ?? []));
    rows = merged;
  }
  return rows[0];
}

function merge(keys, a, b) {
  const merged = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const isFromB = i === a.length || (j < b.length && keys[b[j]] < keys[a[i]]);
    merged.push(isFromB ? b[j++] : a[i++]);
  }
  return merged;
}

const faults = [];
let cases = 0;

function assertSame(what, found, expected) {
  cases++;
  const isSame = found.length === expected.length && expected.every((key, i) => key === found[i]);
  if (!isSame) faults.push(what);
}

/** Whatever rejects is a fault of its own. */
async function check(what, work) {
  try {
    await work();
  } catch (error) {
    faults.push(`${what}: ${error?.stack ?? error}`);
  }
}

const onWarning = () => {};

async function checkAsync(sorter, keys, order, options) {
  const { length } = keys;
  const sorted = order.map((row) => keys[row]);
  const what = `${length} ${keys.constructor.name} by ${options.backend}`;
  const each = (name, work) => check(`${name} of ${what}`, work);
  await each('sort', async () => {
    assertSame(`sort of ${what}`, await sorter.sort(keys.slice(), options), sorted);
  });
  await each('toSorted', async () => {
    const progress = { onProgress() {}, onReport() {} };
    const found = await sorter.toSorted(keys, { ...options, ...progress });
    assertSame(`toSorted of ${what}`, found, sorted);
  });
  await each('sortPairs', async () => {
    const rows = Uint32Array.from(keys, (_, i) => i);
    const pairs = await sorter.sortPairs(keys.slice(), rows, options);
    assertSame(`sortPairs of ${what}`, pairs.values, order);
  });
  await each('argsort', async () => {
    assertSame(`argsort of ${what}`, await sorter.argsort(keys, options), order);
  });
  if (options.backend !== 'auto') return;
  await each('argsort of a table', async () => {
    const columns = [{ keys, nulls: 'first' }, new Uint8Array(length)];
    assertSame(`argsort of a table of ${what}`, await sorter.argsort(columns), order);
  });
  await each('argsort of rows', async () => {
    const indices = Uint32Array.from(keys, (_, i) => i);
    assertSame(`argsort of rows of ${what}`, await sorter.argsort(keys, { indices }), order);
  });
  await each('gather', async () => {
    const found = await sorter.gather(keys, Uint32Array.from(order));
    assertSame(`gather of ${what}`, found, sorted);
  });
  await each('topK', async () => {
    const k = Math.ceil(length / 100);
    const top = await sorter.topK(keys, k, { order: 'ascending' });
    assertSame(`topK of ${what}`, top.keys, sorted.slice(0, k));
  });
  await each('select', async () => {
    const k = length >> 1;
    assertSame(`select of ${what}`, [await sorter.select(keys, k)], [sorted[k]]);
  });
}

function checkSync(keys, order) {
  const { length } = keys;
  const what = `${length} ${keys.constructor.name} at once`;
  const sorted = order.map((row) => keys[row]);
  assertSame(`sortSync of ${what}`, sortSync(keys.slice()), sorted);
  const rows = Uint32Array.from(keys, (_, i) => i);
  assertSame(`sortPairsSync of ${what}`, sortPairsSync(keys.slice(), rows).values, order);
  assertSame(`argsortSync of ${what}`, argsortSync(keys), order);
  assertSame(
    `argsortSync of a table of ${what}`,
    argsortSync([keys, new Uint8Array(length)]),
    order,
  );
}

async function run() {
  const sorter = await createSorter({ onWarning });
  const shared = { sort, toSorted, sortPairs, argsort, gather, topK, select };
  const capabilities = await sorter.capabilities();
  const available = Object.keys(capabilities).filter((name) => capabilities[name].available);
  for (const [Keys, lengths] of KEYS) {
    for (const length of lengths) {
      const keys = makeKeys(Keys, length);
      const order = orderOf(keys);
      await check('synchronous functions', () => checkSync(keys, order));
      await checkAsync(shared, keys, order, { backend: 'auto' });
      for (const backend of available) await checkAsync(sorter, keys, order, { backend });
    }
  }
  await check('a named backend that is missing', async () => {
    const error = await sorter
      .sort(new Uint8Array(9), { backend: 'webgpu' })
      .catch((error) => error);
    if (error.name !== 'BackendUnavailableError') throw error;
  });
  await check('controls', async () => {
    sorter.plan({ operation: 'sort', keyType: 'f32', length: 1e6 });
    await sorter.warmUp(1000);
    await sorter.calibrate({ milliseconds: 100 });
    await sorter.profile();
    await sorter.release();
  });
  await sorter.close();
  releaseSync();
  if (typeof RadixSorter.create !== 'function') faults.push('no RadixSorter');
  return JSON.stringify({ available, cases, faults });
}

globalThis.result = run();
