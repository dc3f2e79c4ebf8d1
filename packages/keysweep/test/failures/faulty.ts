/** A backend that fails at a chosen point, around one that works. */

import type { Backend, Phase, SortOutcome, SortRequest } from '@keysweep/core';

/**
 * Where it fails: in its probe, before it has begun a sort, on the way there, in its midst, on
 * the way back, at its end.
 */
export const POINTS = ['probe', 'start', 'upload', 'sort', 'readback', 'close'] as const;
export type Point = (typeof POINTS)[number];

/**
 * How: by a throw where a promise was expected, by a promise that rejects, by one that is never
 * settled.
 */
export const MANNERS = ['throw', 'reject', 'hang'] as const;
export type Manner = (typeof MANNERS)[number];

export class Fault extends Error {
  override readonly name = 'Fault';
}

export interface Faulty {
  readonly backend: Backend;
  /** How often it has failed. */
  readonly failures: () => number;
}

/**
 * `real`, failing at `point`. What it had begun is aborted, as a backend that breaks writes
 * nothing.
 */
export function faulty(real: Backend, point: Point, manner: Manner): Faulty {
  let failures = 0;
  const fault = new Fault(`${manner} in ${point}`);
  const fail = (): Promise<never> => {
    failures++;
    if (manner === 'throw') throw fault;
    return manner === 'reject' ? Promise.reject(fault) : new Promise(() => {});
  };

  const sortUntil = async (phase: Phase, request: SortRequest): Promise<SortOutcome> => {
    const controller = new AbortController();
    const { signal, onProgress } = request;
    if (signal?.aborted) throw signal.reason;
    signal?.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
    let hasFailed = false;
    const working = real.sort({
      ...request,
      signal: controller.signal,
      onProgress(progress) {
        if (progress.phase !== phase || hasFailed) return onProgress?.(progress);
        hasFailed = true;
        failures++;
        controller.abort(fault);
        if (manner === 'throw') throw fault;
      },
    });
    if (manner !== 'hang') return working;
    const outcome = await working.catch(() => undefined);
    return outcome ?? new Promise(() => {});
  };

  const backend: Backend = {
    name: real.name,
    maxLength: (shape) => real.maxLength(shape),
    probe: () => (point === 'probe' ? fail() : real.probe()),
    sort(request) {
      if (point === 'start') return fail();
      return point === 'probe' || point === 'close'
        ? real.sort(request)
        : sortUntil(point, request);
    },
    warmUp: (length) => real.warmUp(length),
    release: () => real.release(),
    close: () => (point === 'close' ? fail() : Promise.resolve()),
  };
  return { backend, failures: () => failures };
}
