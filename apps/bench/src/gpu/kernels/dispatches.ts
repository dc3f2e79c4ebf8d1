/** A sort's dispatches taken apart: each recorded in a pass of its own, between two timestamps. */

import type { Recording } from '../device/task.js';

/** Bind groups that a kernel's layout has, where not three. */
const GROUPS: Readonly<Record<string, number>> = { plan: 2, spine: 1 };

/** A dispatch as it is recorded; the GPU decides on the workgroups of some. */
export interface Dispatch {
  readonly kernel: string;
  readonly workgroups: number | { readonly buffer: GPUBuffer; readonly offset: number };
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
  const dispatch = (
    workgroups: Dispatch['workgroups'],
    run: (pass: GPUComputePassEncoder) => void,
  ): void => {
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
    run(pass);
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
    dispatchWorkgroups(count: number): void {
      dispatch(count, (real) => real.dispatchWorkgroups(count));
    },
    dispatchWorkgroupsIndirect(buffer: GPUBuffer, offset: number): void {
      dispatch({ buffer, offset }, (real) => real.dispatchWorkgroupsIndirect(buffer, offset));
    },
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

/**
 * Workgroups that had something to do, by dispatch: chained scans dispatch all their sweeps, and
 * those that the GPU did not plan return at once; after an odd number of them the next one copies
 * the result home. `decided` are the workgroups where the GPU decides on them.
 */
export function busyWorkgroups(
  dispatches: readonly Dispatch[],
  decided: ArrayLike<number>,
  passesRun: number,
): number[] {
  let sweeps = 0;
  return dispatches.map(({ kernel, workgroups }, i) => {
    if (typeof workgroups !== 'number') return decided[i] ?? 0;
    const isSweep = kernel === 'sweep' || kernel === 'firstSweep';
    return isSweep && ++sweeps > passesRun + (passesRun % 2) ? 0 : workgroups;
  });
}
