/** Runs one block of code, and compares a long sort in it with the built-in. */

import { median } from '@keysweep/conformance/statistics';
import { valuesOf } from '../../blocks/values.mjs';
import type { Comparison, FromBlock, ToBlock } from './block-messages.js';
import { shown } from './shown.js';

type Keysweep = typeof import('keysweep/bundle');

/** A sort of fewer keys takes about as long as a browser's clock ticks. */
const LONG = 10_000;
const ROUNDS = 5;

const send = (message: FromBlock): void => postMessage(message);

self.onmessage = async ({ data: { bundle, code } }: MessageEvent<ToBlock>) => {
  try {
    const keysweep: Keysweep = await import(/* @vite-ignore */ bundle);
    /** The keys of the last long sort without options, as they were before. */
    let unsorted: Float32Array | undefined;
    const sort = ((keys: Float32Array, ...options: []) => {
      if (options.length === 0 && keys.length >= LONG) unsorted = keys.slice();
      return keysweep.sort(keys, ...options);
    }) as Keysweep['sort'];
    for (const name of ['log', 'info', 'warn', 'error'] as const) {
      console[name] = (...values: unknown[]) =>
        send({ kind: 'line', text: values.map(shown).join(' ') });
    }
    Object.assign(globalThis, keysweep, { sort }, await valuesOf(keysweep));
    // What a block imports is the one file, with that `sort`; only `sorted` is not in it.
    const file = moduleOf(`export * from '${bundle}'; export const { sort } = globalThis;`);
    const sorted = code.includes("'keysweep/sorted'") ? await import('keysweep/sorted') : {};
    Object.assign(globalThis, { sorted });
    const rest = moduleOf(`export const { ${Object.keys(sorted)} } = globalThis.sorted;`);
    const block = moduleOf(
      code
        .replace(/(\bfrom|\bimport) '(keysweep(\/sync)?)'/g, `$1 '${file}'`)
        .replace(/(\bfrom|\bimport) 'keysweep\/sorted'/g, `$1 '${rest}'`),
    );
    const start = performance.now();
    await import(/* @vite-ignore */ block);
    const milliseconds = performance.now() - start;
    const comparison = unsorted && (await compare(unsorted, keysweep));
    send({ kind: 'done', milliseconds, comparison });
  } catch (error) {
    send({ kind: 'failed', text: String(error) });
  }
};

const moduleOf = (code: string): string =>
  URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));

/** Sorts copies, in turns, warm. */
async function compare(unsorted: Float32Array, { createSorter }: Keysweep): Promise<Comparison> {
  const { length } = unsorted;
  const sorter = await createSorter();
  await sorter.warmUp(length);
  const [builtin, ours]: [number[], number[]] = [[], []];
  let [backend, threads, isEqual] = ['', 0, true];
  for (let round = 0; round < ROUNDS; round++) {
    const [expected, sorted] = [unsorted.slice(), unsorted.slice()];
    const start = performance.now();
    expected.sort();
    const middle = performance.now();
    await sorter.sort(sorted, { onReport: (report) => ({ backend, threads } = report) });
    ours.push(performance.now() - middle);
    builtin.push(middle - start);
    const [a, b] = [expected, sorted].map(({ buffer }) => new Uint8Array(buffer));
    isEqual &&= (a as Uint8Array).every((byte, i) => byte === b?.[i]);
  }
  await sorter.close();
  return { length, builtin: median(builtin), keysweep: median(ours), backend, threads, isEqual };
}
