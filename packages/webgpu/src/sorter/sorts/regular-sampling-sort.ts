/**
 * The sort by regular sampling: of more keys than a workgroup holds, but not many, in two
 * dispatches. Shi and Schaeffer, "Parallel sorting by regular sampling", 1992.
 *
 *   runs → buckets
 *
 * First, each workgroup sorts a run of neighbouring keys. Keys at equal distances in the runs are
 * samples, and some of the samples divide all keys into buckets. However the keys are distributed,
 * none of these is longer than a workgroup holds. So in the second stage, each workgroup merges the
 * parts of the runs that are in one bucket.
 */

import { maxSampled, type SamplingShape, sampledGroups } from '@keysweep/kernels/wgsl';
import type { GPUBindGroup, GPUComputePassEncoder, GPUDevice } from '../../device/gpu-types.js';
import type { PingPong } from '../recording/device-sort.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from '../recording/pipelines.js';
import type { CountBinding } from '../recording/uniforms.js';
import type { Shape } from '../tuning/tuning.js';

/** How up to `most` keys are cut, and the pipelines that are compiled for that. */
interface Cut {
  readonly most: number;
  readonly shape: SamplingShape;
  readonly pipelines: Pipelines;
}

export class RegularSamplingSort {
  /** Most keys of a sort; 0 if there are no shapes. */
  readonly most: number;
  readonly #cuts: readonly Cut[];

  /** `shapes`: by rising numbers of keys. `lanes`: any shape of the device's chained scans. */
  constructor(
    device: GPUDevice,
    widths: LabelledWidths,
    lanes: Shape,
    shapes: readonly SamplingShape[],
    hasNanTies: boolean,
  ) {
    this.#cuts = shapes.map((shape) => {
      const unused = { lookLimit: 0, stalledTile: undefined };
      const chained = { ...lanes, ...unused, hasNanTies, sampling: shape };
      const pipelines = pipelinesFor(device, { ...widths, chained });
      return { most: maxSampled(shape), shape, pipelines };
    });
    this.most = this.#cuts.at(-1)?.most ?? 0;
  }

  compile(): void {
    for (const { pipelines } of this.#cuts) {
      for (const kernel of ['sortRuns', 'sortBuckets'] as const) pipelines.get(kernel);
    }
  }

  /** Records a sort of at most `most` keys. `state` is a bind group of layout 'planning'. */
  record(
    pass: GPUComputePassEncoder,
    state: GPUBindGroup,
    { toScratch, toCaller }: PingPong,
    count: CountBinding,
    most: number,
  ): void {
    const { shape, pipelines } = this.#cuts.find((cut) => most <= cut.most) as Cut;
    const { runs, buckets } = sampledGroups(shape, most);
    pass.setBindGroup(0, state);
    pass.setBindGroup(1, count.group, count.offsets);
    pass.setBindGroup(2, toScratch);
    pass.setPipeline(pipelines.get('sortRuns'));
    pass.dispatchWorkgroups(runs);
    pass.setBindGroup(2, toCaller);
    pass.setPipeline(pipelines.get('sortBuckets'));
    pass.dispatchWorkgroups(buckets);
  }
}
