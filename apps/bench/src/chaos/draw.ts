/** What one round of chaos sorts, and what happens to it, drawn from the seed and its number. */

import { Random } from '@keysweep/conformance/data';
import type { RecordLayout } from '@keysweep/external';

export type Phase = 'sample' | 'partition' | 'sort';

/** What happens to a sort of a file. */
export const FILE_FAULTS = [
  'nothing',
  'an abort',
  'a callback that throws',
  'a write that fails',
  'a read that fails',
  'slow writes',
  'a thread that ends',
  'a child that is killed',
  'all children killed',
  'a process that is killed',
  'a process that is killed, and resumed',
  'a disk that is full',
] as const;

/** What happens to a sort by workers. */
export const CLUSTER_FAULTS = [
  'workers: nothing',
  'workers: one is killed',
  'workers: one is stopped for a while',
  'workers: the store is killed',
  'workers: an abort',
  'workers: jobs come twice',
] as const;

export type Fault = (typeof FILE_FAULTS)[number] | (typeof CLUSTER_FAULTS)[number];

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
  const needsChildren = /child/.test(fault);
  const isOfThreads = fault === 'a thread that ends';
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
  `${fault}; ${count} of ${width} bytes in ${memory}, ${phase} ${telling}`;
