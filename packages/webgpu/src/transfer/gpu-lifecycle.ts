/** The course of one request, and what the GPU's own clock says of it. */

import { RequestLifecycle } from '@keysweep/core';

export class GpuCourse extends RequestLifecycle {
  #gpuMilliseconds: number | undefined;

  /** Adds what the GPU took for a part of the work, if it told. */
  addGpuTime(milliseconds: number | undefined): void {
    if (milliseconds === undefined) return;
    this.#gpuMilliseconds = (this.#gpuMilliseconds ?? 0) + milliseconds;
  }

  /** What the GPU took, if it told. */
  get gpuMilliseconds(): number | undefined {
    return this.#gpuMilliseconds;
  }
}
