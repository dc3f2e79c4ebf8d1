/** What the dispatcher expects: asked before a length is measured, for it learns from every sort. */

import type { BackendName, PlanRequest, Sorter } from 'keysweep';

/** What the dispatcher would do with a request. */
export interface Choice {
  readonly length: number;
  /** The backend that 'auto' would take. */
  readonly backend: BackendName;
  readonly reason: string;
  /** Which figures it goes by: "built-in", or when they were measured. */
  readonly profile: string;
}

export interface Expectations {
  readonly choice: Choice | undefined;
  /** Milliseconds that a backend is expected to take; undefined for one that refuses. */
  readonly of: (backend: BackendName) => number | undefined;
}

/** What is expected of a request now. */
export function expectationsOf(
  sorter: Sorter,
  request: PlanRequest,
  backends: readonly BackendName[],
): Expectations {
  const { steps, profile } = sorter.plan(request);
  const [first] = steps;
  const expected = new Map(
    backends.map((backend) => [
      backend,
      sorter.plan({ ...request, backend }).steps[0]?.milliseconds,
    ]),
  );
  return {
    choice: first && {
      length: request.length,
      backend: first.backend,
      reason: first.reason,
      profile: profile.name,
    },
    of: (backend) => expected.get(backend),
  };
}
