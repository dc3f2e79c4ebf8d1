/** Where a sort's time goes, by kernel: each in a pass of its own, between two timestamps. */

import { BufferUsage, readBuffer, recorded } from './machine.js';
import type { Recording, Task } from './timing.js';

/** Bind groups that a kernel's layout has, where not three. */
const GROUPS: Readonly<Record<string, number>> = { plan: 2, spine: 1 };

const RADIX = 256;

/** What the bytes depend on. */
export interface Sizes {
  readonly length: number;
  readonly keyBytes: number;
  readonly valueBytes: number;
}

/** Bytes that one dispatch of a kernel has to read and write: see kernels/wgsl. */
const BYTES: Readonly<Record<string, (sizes: Sizes, blocks: number) => number>> = {
  small: ({ length, keyBytes, valueBytes }) => 2 * (keyBytes + valueBytes) * length,
  survey: ({ length, keyBytes }) => keyBytes * length,
  plan: () => 0,
  upsweep: ({ length, keyBytes }, blocks) => keyBytes * length + 4 * RADIX * blocks,
  spine: (_, blocks) => 8 * RADIX * blocks,
  downsweep: ({ length, keyBytes, valueBytes }, blocks) =>
    2 * (keyBytes + valueBytes) * length + 4 * RADIX * blocks,
  home: ({ length, keyBytes, valueBytes }) => 2 * (keyBytes + valueBytes) * length,
};

/** A kernel's part in one sort. */
export interface KernelShare {
  readonly kernel: string;
  /** Dispatches with any workgroups. */
  readonly passes: number;
  /** Bytes that these have to move. */
  readonly bytes: number;
  /** Milliseconds of all its dispatches, one number a round. */
  readonly milliseconds: readonly number[];
}

/** A dispatch as it is recorded; the GPU decides on the workgroups of some. */
interface Dispatch {
  readonly kernel: string;
  readonly workgroups: number | { readonly buffer: GPUBuffer; readonly offset: number };
}

/** A dispatch that has run. */
interface Run {
  readonly kernel: string;
  readonly workgroups: number;
  readonly milliseconds: number;
}

const MOST_DISPATCHES = 64;
const ROUNDS = 9;

/** Measures the kernels of a sort. The device has 'timestamp-query'. */
export async function profileKernels(
  device: GPUDevice,
  sizes: Sizes,
  { refresh, prepare, work }: Task,
): Promise<KernelShare[]> {
  const rounds: Run[][] = [];
  // One more, which warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    refresh();
    device.queue.submit([recorded(device, prepare)]);
    rounds.push(await timeDispatches(device, work));
  }
  return summarise(rounds.slice(1), sizes);
}

async function timeDispatches(device: GPUDevice, sort: Recording): Promise<Run[]> {
  const { COPY_SRC, COPY_DST, QUERY_RESOLVE } = BufferUsage;
  const count = 2 * MOST_DISPATCHES;
  const querySet = device.createQuerySet({ type: 'timestamp', count });
  const resolved = device.createBuffer({ size: 8 * count, usage: QUERY_RESOLVE | COPY_SRC });
  const decided = device.createBuffer({ size: 4 * MOST_DISPATCHES, usage: COPY_DST | COPY_SRC });

  const encoder = device.createCommandEncoder();
  const dispatches = recordApart(encoder, querySet, sort);
  encoder.resolveQuerySet(querySet, 0, 2 * dispatches.length, resolved, 0);
  for (const [i, { workgroups }] of dispatches.entries()) {
    if (typeof workgroups === 'number') continue;
    encoder.copyBufferToBuffer(workgroups.buffer, workgroups.offset, decided, 4 * i, 4);
  }
  device.queue.submit([encoder.finish()]);

  const times = new BigUint64Array(await readBuffer(device, resolved));
  const counts = new Uint32Array(await readBuffer(device, decided));
  for (const made of [querySet, resolved, decided]) made.destroy();
  return dispatches.map(({ kernel, workgroups }, i) => ({
    kernel,
    workgroups: typeof workgroups === 'number' ? workgroups : (counts[i] as number),
    milliseconds: Number((times[2 * i + 1] as bigint) - (times[2 * i] as bigint)) / 1e6,
  }));
}

function summarise(rounds: readonly Run[][], sizes: Sizes): KernelShare[] {
  const [one = []] = rounds;
  const blocks = one.find(({ kernel }) => kernel === 'upsweep')?.workgroups ?? 0;
  return [...new Set(one.map(({ kernel }) => kernel))].map((name) => {
    const passes = one.filter(({ kernel, workgroups }) => kernel === name && workgroups > 0).length;
    return {
      kernel: name,
      passes,
      bytes: passes * (BYTES[name]?.(sizes, blocks) ?? 0),
      milliseconds: rounds.map((runs) =>
        runs
          .filter(({ kernel }) => kernel === name)
          .reduce((sum, { milliseconds }) => sum + milliseconds, 0),
      ),
    };
  });
}

/** Records what `sort` does, every dispatch in a pass between two timestamps of `querySet`. */
function recordApart(
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
  sort({ beginComputePass: () => pass } as unknown as GPUCommandEncoder);
  return dispatches;
}
