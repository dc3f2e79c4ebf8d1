/**
 * Arrays to the GPU and back: several settings of the webgpu backend, another build of it, and
 * plain copies, by turns. In Node or in a page.
 */

import { makeKeys, Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { differenceOf } from '@keysweep/conformance/verify';
import { webgpu } from '@keysweep/webgpu';
import { createSorter, type Phase, type Sorter, type SortReport } from 'keysweep';
import {
  formatCount,
  formatHead,
  formatRow,
  formatTime,
  type TableColumn,
} from '../program/table.js';
import { RoundTrip } from './copies.js';

export const OPERATIONS = ['sort', 'toSorted', 'argsort', 'argsort out'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Settings of transfers: fields of MemoryLimits in packages/webgpu/src/transfer/pool.ts. */
export type Settings = Readonly<Record<string, number>>;

export interface TransferOptions {
  readonly lengths: readonly number[];
  readonly operations: readonly Operation[];
  /** Samples of each way that count, at least one. */
  readonly samples: number;
  readonly seed: number;
  /** Settings by name. */
  readonly settings: Readonly<Record<string, Settings>>;
  /** A module that exports another build's `webgpu`. */
  readonly before?: string | undefined;
  /** Whether to time the parts of plain copies first, at the longest length. */
  readonly parts: boolean;
}

export interface TransferResult {
  readonly operation: Operation;
  readonly length: number;
  /** Settings, 'before', 'two copies' or 'round trip'. */
  readonly way: string;
  readonly milliseconds: readonly number[];
  /** Medians. */
  readonly phases: { readonly [phase in Phase]?: number };
  readonly verified: boolean;
}

const COLUMNS: readonly TableColumn[] = [
  { title: 'operation', width: 11, align: 'left' },
  { title: 'length', width: 11, align: 'right' },
  { title: 'way', width: 14, align: 'left' },
  { title: 'median', width: 9, align: 'right' },
  { title: 'least', width: 9, align: 'right' },
  { title: 'copies', width: 7, align: 'right' },
  { title: 'trips', width: 6, align: 'right' },
  { title: 'upload', width: 8, align: 'right' },
  { title: 'sort', width: 8, align: 'right' },
  { title: 'readback', width: 8, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
];

const PHASES: readonly Phase[] = ['upload', 'sort', 'readback'];

type MakeBackend = typeof webgpu;

/** Has the next sample find less garbage, where the engine lets one. */
const collect = (): void => (globalThis as { gc?: () => void }).gc?.();

/**
 * Measures and prints, a line for each way. `adapterOf` gives the adapter, a new one each time.
 * `onResult` is called with each result once it is there.
 */
export async function measureTransfers(
  options: TransferOptions,
  adapterOf: () => Promise<GPUAdapter | null>,
  onResult: (result: TransferResult) => void = () => {},
): Promise<TransferResult[]> {
  const results: TransferResult[] = [];
  const adapter = await adapterOf();
  if (adapter === null) throw new Error('there is no adapter');
  const { maxBufferSize } = adapter.limits;
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize } });
  const makers = new Map<string, () => Promise<Sorter>>();
  const sorterOf = (make: MakeBackend, memory?: Settings): Promise<Sorter> => {
    const given = { requestAdapter: adapterOf, memory } as Parameters<MakeBackend>[0];
    return createSorter({ backends: [make(given)], allowSoftware: true });
  };
  if (options.before !== undefined) {
    const { webgpu: before } = (await import(/* @vite-ignore */ options.before)) as {
      webgpu: MakeBackend;
    };
    makers.set('before', () => sorterOf(before));
  }
  for (const [name, settings] of Object.entries(options.settings)) {
    makers.set(name, () => sorterOf(webgpu, settings));
  }
  const random = new Random(options.seed);
  const longest = Math.max(...options.lengths);
  if (options.parts) {
    const [source, target] = [randomKeys(longest, random), randomKeys(longest, random)];
    console.log(`Parts of two plain copies, ${formatCount(4 * longest)} bytes, medians of 5:`);
    const trip = new RoundTrip(device, longest);
    const slices = [2 ** 18, 2 ** 20, 2 ** 24, 2 ** 26].filter((slice) => slice < 4 * longest);
    await trip.parts(target, source, [...slices, 4 * longest]);
    trip.destroy();
  }
  console.log(
    "\nMedians. 'copies': times two plain copies of arrays. 'trips': times a plain round trip.",
  );
  console.log(formatHead(COLUMNS));
  for (const length of options.lengths) {
    const sorters = new Map<string, Sorter>();
    for (const [name, make] of makers) sorters.set(name, await make());
    const trip = new RoundTrip(device, length);
    const keys = randomKeys(length, random);
    const sorted = keys.slice().sort();
    for (const operation of options.operations) {
      for (const result of await measure(operation, keys, sorted, sorters, trip, options.samples)) {
        results.push(result);
        onResult(result);
      }
    }
    trip.destroy();
    for (const sorter of sorters.values()) await sorter.close();
  }
  device.destroy();
  return results;
}

const randomKeys = (length: number, random: Random): Uint32Array =>
  makeKeys('u32', length, 'random', random) as Uint32Array;

/** What a way made of its input, and what a sorter says of it. */
interface Done {
  readonly result: Uint32Array;
  readonly report?: SortReport | undefined;
}

async function measure(
  operation: Operation,
  keys: Uint32Array,
  sorted: Uint32Array,
  sorters: ReadonlyMap<string, Sorter>,
  trip: RoundTrip,
  samples: number,
): Promise<TransferResult[]> {
  const { length } = keys;
  const isOrder = operation.startsWith('argsort');
  // Written before each way, so that its pages are there.
  const work = new Uint32Array(length);
  const other = new Uint32Array(length);
  const out = operation === 'argsort out' ? new Uint32Array(length) : undefined;
  const isNew = operation === 'toSorted' || operation === 'argsort';
  const ways = new Map<string, () => Promise<Done>>();
  ways.set('two copies', async () => {
    other.set(work);
    // Into new memory where the operation makes some.
    if (isNew) return { result: other.slice() };
    work.set(other);
    return { result: work };
  });
  ways.set('round trip', async () => {
    const result = isNew ? new Uint32Array(length) : other;
    await trip.run(result, work);
    return { result };
  });
  for (const [name, sorter] of sorters) {
    ways.set(name, async () => {
      let report: SortReport | undefined;
      const onReport = (given: SortReport): void => {
        report = given;
      };
      const options = { backend: 'webgpu', onReport } as const;
      if (operation === 'sort') return { result: await sorter.sort(work, options), report };
      if (operation === 'toSorted') return { result: await sorter.toSorted(work, options), report };
      return { result: await sorter.argsort(work, out ? { ...options, out } : options), report };
    });
  }
  let order: Uint32Array | undefined;
  const isRight = (way: string, result: Uint32Array): boolean => {
    if (!sorters.has(way)) return differenceOf(result, keys) === undefined;
    if (!isOrder) return differenceOf(result, sorted) === undefined;
    if (order !== undefined) return differenceOf(result, order) === undefined;
    if (!isStableOrder(keys, sorted, result)) return false;
    order = result.slice();
    return true;
  };
  const times = new Map<string, number[]>();
  const reports = new Map<string, SortReport[]>();
  const wrong = new Set<string>();
  // Two rounds warm up: memory, kernels, the engine's compiler.
  for (let sample = -2; sample < samples; sample++) {
    for (const [name, run] of ways) {
      work.set(keys);
      other.fill(0);
      out?.fill(0);
      collect();
      const start = performance.now();
      const { result, report } = await run();
      const time = performance.now() - start;
      if (!isRight(name, result)) wrong.add(name);
      if (sample < 0) continue;
      times.set(name, [...(times.get(name) ?? []), time]);
      if (report) reports.set(name, [...(reports.get(name) ?? []), report]);
    }
  }
  const medianOf = (way: string): number => median(times.get(way) ?? []);
  return Array.from(ways.keys(), (way) => {
    const known = reports.get(way) ?? [];
    const phases = Object.fromEntries(
      PHASES.map((phase) => [
        phase,
        known.length === 0 ? 0 : median(known.map((report) => report.milliseconds[phase] ?? 0)),
      ]),
    );
    const milliseconds = times.get(way) ?? [];
    console.log(
      formatRow(COLUMNS, [
        operation,
        formatCount(length),
        way,
        formatTime(medianOf(way)),
        formatTime(Math.min(...milliseconds)),
        (medianOf(way) / medianOf('two copies')).toFixed(2),
        (medianOf(way) / medianOf('round trip')).toFixed(2),
        ...PHASES.map((phase) => (known.length === 0 ? '' : formatTime(phases[phase] ?? 0))),
        wrong.has(way) ? 'NO' : 'yes',
      ]),
    );
    return { operation, length, way, milliseconds, phases, verified: !wrong.has(way) };
  });
}

/** Whether `order` has every row once, in the order of its key, ties in the order of rows. */
function isStableOrder(keys: Uint32Array, sorted: Uint32Array, order: Uint32Array): boolean {
  if (order.length !== keys.length) return false;
  for (let i = 0; i < order.length; i++) {
    const row = order[i] as number;
    if (keys[row] !== sorted[i]) return false;
    // Of equal keys the rows ascend: so no row comes twice.
    if (i > 0 && sorted[i] === sorted[i - 1] && row <= (order[i - 1] as number)) return false;
  }
  return true;
}
