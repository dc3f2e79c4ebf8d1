/**
 * Arrays to the GPU and back: several settings of the webgpu backend and plain copies, in turns. In
 * Node or in a page.
 */

import { makeKeys, Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { differenceOf, faultOfOrder } from '@keysweep/conformance/verify';
import { webgpu } from '@keysweep/webgpu';
import { createSorter, type Phase, type Sorter, type SortReport } from 'keysweep';
import { type Case, measure, type Timing } from '../measure/runner.js';
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
}

export interface TransferResult {
  readonly operation: Operation;
  readonly length: number;
  /** The name of settings, 'two copies' or 'round trip'. */
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

/**
 * Measures and prints, a line for each way. `adapterOf` gives the adapter, a new one each time.
 * `onResult` is called with each result once it is there.
 */
export async function measureTransfers(
  { lengths, operations, samples, seed, settings }: TransferOptions,
  adapterOf: () => Promise<GPUAdapter | null>,
  onResult: (result: TransferResult) => void = () => {},
): Promise<TransferResult[]> {
  const results: TransferResult[] = [];
  const adapter = await adapterOf();
  if (adapter === null) throw new Error('there is no adapter');
  const { maxBufferSize } = adapter.limits;
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize } });
  const random = new Random(seed);
  console.log("Medians. 'copies': times two plain copies of arrays. 'trips': times a round trip.");
  console.log(formatHead(COLUMNS));
  for (const length of lengths) {
    const sorters = new Map<string, Sorter>();
    for (const [name, memory] of Object.entries(settings)) {
      const options = { requestAdapter: adapterOf, memory } as Parameters<typeof webgpu>[0];
      const backends = [webgpu(options)];
      sorters.set(name, await createSorter({ backends, allowSoftware: true }));
    }
    const trip = new RoundTrip(device, length);
    const keys = makeKeys('u32', length, 'random', random) as Uint32Array;
    for (const operation of operations) {
      const timings = await measure(caseOf(operation, keys, sorters, trip, samples));
      for (const timing of timings) {
        const result = { operation, length, ...resultOf(timing) };
        console.log(formatRow(COLUMNS, cellsOf(result, timing.fault, timings)));
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

/** What a way made of its input, and what a sorter says of it. */
interface Done {
  readonly result: Uint32Array;
  readonly report?: SortReport | undefined;
}

type Note = SortReport | undefined;

function caseOf(
  operation: Operation,
  keys: Uint32Array,
  sorters: ReadonlyMap<string, Sorter>,
  trip: RoundTrip,
  samples: number,
): Case<Done, Note> {
  const { length } = keys;
  const isNew = operation === 'toSorted' || operation === 'argsort';
  const sorted = keys.slice().sort();
  const work = new Uint32Array(length);
  const other = new Uint32Array(length);
  const out = operation === 'argsort out' ? new Uint32Array(length) : undefined;
  const prepare = (): void => {
    // All are written before each way, so that their pages are there.
    work.set(keys);
    other.fill(0);
    out?.fill(0);
    // Has the way find less garbage, if the engine can be told to collect it.
    (globalThis as { gc?: () => void }).gc?.();
  };
  const twoCopies = async (): Promise<Done> => {
    other.set(work);
    // Into new memory if the operation makes some.
    if (isNew) return { result: other.slice() };
    work.set(other);
    return { result: work };
  };
  const roundTrip = async (): Promise<Done> => {
    const result = isNew ? new Uint32Array(length) : other;
    await trip.run(result, work);
    return { result };
  };
  const sortBy = async (sorter: Sorter): Promise<Done> => {
    let report: Note;
    const onReport = (given: SortReport): void => {
      report = given;
    };
    const options = { backend: 'webgpu', onReport } as const;
    if (operation === 'sort') return { result: await sorter.sort(work, options), report };
    if (operation === 'toSorted') return { result: await sorter.toSorted(work, options), report };
    return { result: await sorter.argsort(work, out ? { ...options, out } : options), report };
  };
  const ways = [
    { name: 'two copies', prepare, run: twoCopies },
    { name: 'round trip', prepare, run: roundTrip },
    ...Array.from(sorters, ([name, sorter]) => ({ name, prepare, run: () => sortBy(sorter) })),
  ];
  return {
    name: operation,
    samples,
    // In which memory is taken, and kernels and code are compiled.
    warmUps: 2,
    makeRound: () => ({
      ways,
      check({ result }, way) {
        if (!sorters.has(way)) return differenceOf(result, keys);
        return operation.startsWith('argsort')
          ? faultOfOrder([keys], result)
          : differenceOf(result, sorted);
      },
    }),
    noteOf: ({ report }) => report,
  };
}

function resultOf({
  name,
  milliseconds,
  notes,
  fault,
}: Timing<Note>): Omit<TransferResult, 'operation' | 'length'> {
  const reports = notes.filter((note) => note !== undefined);
  const medianOf = (phase: Phase): number =>
    median(reports.map((report) => report.milliseconds[phase] ?? 0));
  const phases =
    reports.length === 0 ? {} : Object.fromEntries(PHASES.map((one) => [one, medianOf(one)]));
  return { way: name, milliseconds, phases, verified: fault === undefined };
}

function cellsOf(
  { operation, length, way, milliseconds, phases }: TransferResult,
  fault: string | undefined,
  timings: readonly Timing[],
): string[] {
  const start = [operation, formatCount(length), way];
  if (fault !== undefined)
    return [...start, ...Array.from({ length: 7 }, () => ''), `NO: ${fault}`];
  const time = median(milliseconds);
  const ratios = timings
    .slice(0, 2)
    .map((plain) => (plain.fault === undefined ? time / median(plain.milliseconds) : Number.NaN));
  return [
    ...start,
    formatTime(time),
    formatTime(Math.min(...milliseconds)),
    ...ratios.map((ratio) => ratio.toFixed(2)),
    ...PHASES.map((phase) => (phases[phase] === undefined ? '' : formatTime(phases[phase]))),
    'yes',
  ];
}
