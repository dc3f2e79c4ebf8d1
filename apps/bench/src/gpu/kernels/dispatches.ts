/** A sort's dispatches taken apart: each recorded in a pass of its own, between two timestamps. */

import type { Recording } from '../device/task.js';

/** Bind groups that a kernel's layout has, where not three. */
const GROUPS: Readonly<Record<string, number>> = { plan: 2, spine: 2 };

/** A dispatch as it is recorded. */
export interface Dispatch {
  readonly kernel: string;
  readonly workgroups: number;
}

/** What the GPU has planned. */
export interface Planned {
  readonly passesRun: number;
  /** Of reduce-then-scan; 0 after a sort by a map. */
  readonly blocks: number;
}

/** Records what `sort` does, every dispatch in a pass between two timestamps of `querySet`. */
export function recordApart(
  encoder: GPUCommandEncoder,
  querySet: GPUQuerySet,
  sort: Recording,
): Dispatch[] {
  const dispatches: Dispatch[] = [];
  const groups: (readonly [index: number, group: GPUBindGroup, offsets: number[]])[] = [];
  let pipeline: GPUComputePipeline | undefined;
  const dispatch = (workgroups: number): void => {
    if (pipeline === undefined) throw new Error('a dispatch without a pipeline');
    const kernel = pipeline.label.replace('keysweep ', '');
    const begin = 2 * dispatches.length;
    const pass = encoder.beginComputePass({
      timestampWrites: {
        querySet,
        beginningOfPassWriteIndex: begin,
        endOfPassWriteIndex: begin + 1,
      },
    });
    pass.setPipeline(pipeline);
    for (const group of groups.slice(0, GROUPS[kernel] ?? 3)) pass.setBindGroup(...group);
    pass.dispatchWorkgroups(workgroups);
    pass.end();
    dispatches.push({ kernel, workgroups });
  };
  // What RadixSorter uses of a pass, and of an encoder.
  const pass = {
    setPipeline(next: GPUComputePipeline): void {
      pipeline = next;
    },
    setBindGroup(index: number, group: GPUBindGroup, offsets: number[] = []): void {
      groups[index] = [index, group, offsets];
    },
    dispatchWorkgroups: dispatch,
    end(): void {},
  };
  const apart: Pick<GPUCommandEncoder, 'clearBuffer'> & { beginComputePass(): typeof pass } = {
    beginComputePass: () => pass,
    // Between passes, where it comes in the real encoder too; no kernel's time.
    clearBuffer: (...args) => encoder.clearBuffer(...args),
  };
  sort(apart as unknown as GPUCommandEncoder);
  return dispatches;
}

/** Kernels of the passes of reduce-then-scan. */
const PASSES: readonly string[] = ['upsweep', 'spine', 'downsweep'];

/**
 * Workgroups that had something to do, by dispatch. All passes are dispatched, and those that the
 * GPU did not plan return at once. After an odd number of them the result is copied home: of
 * chained scans by the next sweep.
 */
export function busyWorkgroups(
  dispatches: readonly Dispatch[],
  { passesRun, blocks }: Planned,
): number[] {
  let sweeps = 0;
  const passes = new Map<string, number>();
  return dispatches.map(({ kernel, workgroups }) => {
    const isOdd = passesRun % 2 === 1;
    if (kernel === 'sweep' || kernel === 'firstSweep') {
      return ++sweeps > passesRun + (passesRun % 2) ? 0 : workgroups;
    }
    if (kernel === 'survey') return blocks > 0 ? workgroups : 0;
    if (kernel === 'copyBack') return isOdd ? workgroups : 0;
    if (!PASSES.includes(kernel)) return workgroups;
    const pass = (passes.get(kernel) ?? 0) + 1;
    passes.set(kernel, pass);
    if (blocks === 0 || pass > passesRun) return 0;
    return kernel === 'spine' ? workgroups : blocks;
  });
}
