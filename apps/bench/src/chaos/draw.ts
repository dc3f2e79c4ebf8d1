/** What one round of chaos sorts, and what happens to it, drawn from the seed and its number. */

import { Random } from '@keysweep/conformance/data';
import type { RecordLayout } from '@keysweep/external';

export type Phase = 'sample' | 'partition' | 'sort';

/** What happens to a sort of a file, and how a line of output calls it. */
export const FILE_FAULTS = {
  none: 'nothing',
  abort: 'an abort',
  'callback-throws': 'a callback that throws',
  'write-fails': 'a write that fails',
  'read-fails': 'a read that fails',
  'slow-writes': 'slow writes',
  'thread-ends': 'a thread that ends',
  'child-killed': 'a child that is killed',
  'children-killed': 'all children killed',
  'process-killed': 'a process that is killed',
  'process-killed-resumed': 'a process that is killed, and resumed',
  'disk-full': 'a disk that is full',
} as const;

/** What happens to a sort by workers, and how a line of output calls it. */
export const CLUSTER_FAULTS = {
  'workers-none': 'workers: nothing',
  'worker-killed': 'workers: one is killed',
  'worker-stopped': 'workers: one is stopped for a while',
  'store-killed': 'workers: the store is killed',
  'workers-abort': 'workers: an abort',
  'jobs-twice': 'workers: jobs come twice',
} as const;

export type FileFault = keyof typeof FILE_FAULTS;
export type ClusterFault = keyof typeof CLUSTER_FAULTS;
export type Fault = FileFault | ClusterFault;

export const labelOf = (fault: Fault): string => ({ ...FILE_FAULTS, ...CLUSTER_FAULTS })[fault];

/** What is sorted: numbers, or records of which the first 4 bytes are the key. */
export type Layout = { readonly type: 'u32' } | { readonly record: RecordLayout };

export interface Round {
  readonly number: number;
  readonly fault: Fault;
  readonly layout: Layout;
  /** Bytes of a record, and how many there are. */
  readonly width: number;
  readonly count: number;
  readonly memory: number;
  readonly processes: number;
  /** When it happens: at which telling of which phase, or after how many milliseconds. */
  readonly phase: Phase;
  readonly telling: number;
  readonly milliseconds: number;
  /** Whether a file is there already, that the output takes the place of. */
  readonly hasOld: boolean;
  /** Hours by which the system's clock seems to step to and fro meanwhile. */
  readonly clock: number;
  readonly data: Random;
}

/** Round `number` of the run with this seed. */
export function drawRound(seed: number, number: number, faults: readonly Fault[]): Round {
  const random = new Random(seed, number, 2);
  const one = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  const fault = one(faults);
  const width = one([4, 4, 16, 100]);
  const needsChildren = fault === 'child-killed' || fault === 'children-killed';
  const isOfThreads = fault === 'thread-ends';
  const bytes = isOfThreads ? 40e6 : 200_000 + random.below(3_800_000);
  return {
    number,
    fault,
    layout: width === 4 ? { type: 'u32' } : { record: { bytes: width, keys: [KEY] } },
    width,
    count: Math.floor(bytes / width),
    memory: isOfThreads ? 34e6 : one([400_000, 1_000_000, 3_000_000, 16_000_000]),
    processes: needsChildren ? 2 + random.below(2) : 0,
    phase: one(['sample', 'partition', 'sort']),
    telling: 1 + random.below(4),
    milliseconds: random.below(needsChildren ? 400 : 150),
    hasOld: random.below(3) > 0,
    clock: one([0, 0, 1, -24]),
    data: new Random(seed, number, 3),
  };
}

const KEY = { at: 0, bytes: 4 } as const;

export const describeRound = ({ fault, width, count, memory, phase, telling }: Round): string =>
  `${labelOf(fault)}; ${count} of ${width} bytes in ${memory}, ${phase} ${telling}`;
