/**
 * The sort of more records than one binding holds: chunks, each in bindings of its own, are sorted
 * one after the other, then merged by neighbours until all are in order.
 *
 *   chunk counts → sort of each chunk → merges of neighbours → copies of chunks that lie in scratch
 *
 * A merge gives the lower keys to the first chunk's place and the others to the second's. So what
 * one merge binds is never longer than a chunk, and k chunks are in order after the k rounds of an
 * odd-even transposition sort. A chunk that takes part moves between the caller's buffers and
 * scratch; the host knows where each one lies. With two chunks that is one merge and one copy of
 * all records; with three, two merges and two thirds of a copy.
 */

import { CONSTANTS, MERGE_KEYS, THREADS } from '@keysweep/kernels/wgsl';
import type {
  GPUBindGroup,
  GPUBuffer,
  GPUComputePassEncoder,
  GPUDevice,
} from '../../device/gpu-types.js';
import { ALIGNED, alignedDown } from '../arguments/options.js';
import {
  type DeviceSort,
  makeBuffer,
  type PingPong,
  type RecordBuffers,
  recordsIn,
} from '../recording/device-sort.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from '../recording/pipelines.js';
import {
  type CountBinding,
  countBindings,
  fixedNumbers,
  indirectCount,
  named,
  numberBinding,
  numberTable,
  offsetOf,
} from '../recording/uniforms.js';
import type { Indices } from './indices.js';

const { MAX_CHUNKS } = CONSTANTS;

/** Most workgroups of a merge: each of them writes any number of tiles. */
const MAX_MERGE_GROUPS = 2048;

interface Chunk {
  /** Places that it has. */
  readonly places: number;
  readonly pingPong: PingPong;
  /** Present if the sorter writes the indices. */
  readonly indices: GPUBindGroup | undefined;
}

/** One dispatch of a merge: what it is told of the chunks, as kernels/wgsl/chunks has it. */
interface Merge {
  readonly first: number;
  readonly second: number;
  readonly part: 0 | 1;
}

/** Its records: of the two chunks and of the target; keys, then values. */
interface UnboundMerge extends Merge {
  readonly bindings: readonly GPUBufferBinding[];
}

interface BoundMerge extends Merge {
  readonly group: GPUBindGroup;
}

/** Bind groups for the caller's buffers. */
export interface BoundChunks {
  readonly counts: GPUBindGroup;
  readonly chunks: readonly Chunk[];
  readonly merges: readonly BoundMerge[];
}

export class ChunkSort {
  /** Bytes of GPU memory held. */
  readonly bytes: number;
  readonly #device: GPUDevice;
  readonly #widths: LabelledWidths;
  readonly #pipelines: Pipelines;
  readonly #sort: DeviceSort;
  /** Present if the sorter writes the indices. */
  readonly #indices: Indices | undefined;
  readonly #orderGroup: GPUBindGroup;
  readonly #most: number;
  readonly #counts: GPUBuffer;
  readonly #countGroup: GPUBindGroup;
  readonly #numberGroup: GPUBindGroup;

  /**
   * `sort` sorts chunks and has scratch for all of them. A binding holds `most` records.
   * `orderGroup` is of layout 'order', with the `maxCount` of all.
   */
  constructor(
    device: GPUDevice,
    widths: LabelledWidths,
    most: number,
    sort: DeviceSort,
    indices: Indices | undefined,
    orderGroup: GPUBindGroup,
  ) {
    this.#device = device;
    this.#widths = widths;
    this.#pipelines = pipelinesFor(device, widths);
    this.#sort = sort;
    this.#indices = indices;
    this.#orderGroup = orderGroup;
    this.#most = alignedDown(most);
    this.#counts = makeBuffer(device, named('chunk counts', widths), 4 * (MAX_CHUNKS + 1));
    this.bytes = this.#counts.size;
    const table = numberTable(device);
    const counts = { buffer: this.#counts };
    this.#countGroup = this.#pipelines.group('commandNumbers', countBindings(table, counts));
    const numbers = ['first', 'second', 'part', 'offset'].map(() => numberBinding(table));
    this.#numberGroup = this.#pipelines.group('chunkNumbers', [...numbers, counts]);
  }

  /** Compiles what `record` would compile, but for the sort of a chunk. */
  compile(): void {
    for (const kernel of ['chunkCounts', 'mergeChunks'] as const) this.#pipelines.get(kernel);
  }

  /** The bind groups for `places` records of `caller`, from number `from` on, a multiple of 64. */
  bind(caller: readonly GPUBuffer[], from: number, places: number): BoundChunks {
    const count = Math.ceil(places / this.#most);
    const length = ALIGNED * Math.ceil(places / count / ALIGNED);
    const starts = Array.from({ length: Math.ceil(places / length) }, (_, i) => i * length);
    const chunksIn = (buffers: readonly GPUBuffer[], first: number): RecordBuffers[] =>
      starts.map((start) =>
        recordsIn(buffers, this.#widths, first + start, Math.min(length, places - start)),
      );
    const own = chunksIn(caller, from);
    const lengthNumbers = fixedNumbers(numberTable(this.#device), length);
    return {
      counts: this.#pipelines.group('numbered', [{ buffer: this.#counts }, ...lengthNumbers]),
      chunks: own.map((records, i) => {
        const start = i * length;
        return {
          places: Math.min(length, places - start),
          pingPong: this.#sort.bind(records),
          indices: this.#indices?.bind(records[1] as GPUBufferBinding, from + start),
        };
      }),
      merges: mergesOf(own, chunksIn(this.#sort.scratch, 0)).map(({ bindings, ...merge }) => ({
        ...merge,
        group: this.#pipelines.group('merge', bindings),
      })),
    };
  }

  /**
   * Records a sort of as many keys as `count` binds; `offset` is that of the first one in the first
   * chunk.
   */
  record(
    pass: GPUComputePassEncoder,
    { counts, chunks, merges }: BoundChunks,
    count: CountBinding,
    offset: number,
  ): void {
    pass.setBindGroup(0, this.#orderGroup);
    pass.setBindGroup(1, count.group, count.offsets);
    pass.setBindGroup(2, counts);
    pass.setPipeline(this.#pipelines.get('chunkCounts'));
    pass.dispatchWorkgroups(1);

    for (const [i, { places, pingPong, indices }] of chunks.entries()) {
      const offsets = indirectCount(i, i === 0 ? offset : 0);
      const countOfChunk = { group: this.#countGroup, offsets };
      if (indices !== undefined) this.#indices?.record(pass, indices, countOfChunk, places);
      this.#sort.record(pass, pingPong, countOfChunk, places);
    }

    const tile = THREADS * MERGE_KEYS[this.#widths.keyWords];
    pass.setBindGroup(0, this.#orderGroup);
    pass.setPipeline(this.#pipelines.get('mergeChunks'));
    const groups = Math.min(MAX_MERGE_GROUPS, Math.ceil((chunks[0] as Chunk).places / tile));
    for (const { group, first, second, part } of merges) {
      pass.setBindGroup(1, this.#numberGroup, [first, second, part, offset].map(offsetOf));
      pass.setBindGroup(2, group);
      pass.dispatchWorkgroups(groups);
    }
  }

  destroy(): void {
    this.#counts.destroy();
  }
}

/**
 * The merges that bring sorted chunks, which lie in `own`, into order there. `scratch` has a place
 * for each, too.
 */
function mergesOf(
  own: readonly RecordBuffers[],
  scratch: readonly RecordBuffers[],
): UnboundMerge[] {
  const chunks = own.length;
  const isInScratch = own.map(() => false);
  const placesOf = (chunk: number, inScratch: boolean): RecordBuffers =>
    (inScratch ? scratch : own)[chunk] as RecordBuffers;
  const merges: UnboundMerge[] = [];
  /** `others` are bound as the second chunk's records. */
  const merge = (
    first: number,
    second: number,
    others: number,
    parts: readonly (0 | 1)[],
  ): void => {
    const [one, other] = [first, others].map((chunk) =>
      placesOf(chunk, isInScratch[chunk] as boolean),
    ) as [RecordBuffers, RecordBuffers];
    for (const part of parts) {
      const written = part === 0 ? first : second;
      const target = placesOf(written, !isInScratch[written]);
      const bindings = target.flatMap((binding, i) => [one[i], other[i], binding]);
      merges.push({ first, second, part, bindings: bindings as GPUBufferBinding[] });
    }
    for (const part of parts) {
      const written = part === 0 ? first : second;
      isInScratch[written] = !isInScratch[written];
    }
  };
  for (let round = 0; round < chunks; round++) {
    for (let first = round % 2; first + 1 < chunks; first += 2) {
      merge(first, first + 1, first + 1, [0, 1]);
    }
  }
  // Copies are merges with the chunk after the last one, which is empty: any other is bound for it.
  for (let chunk = 0; chunk < chunks; chunk++) {
    if (isInScratch[chunk]) merge(chunk, chunks, (chunk + 1) % chunks, [0]);
  }
  return merges;
}
