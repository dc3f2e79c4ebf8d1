/**
 * The dispatcher's estimates. They are taken before a length is measured, because the dispatcher
 * learns from every sort.
 */

import type { BackendName, PlanRequest, Sorter } from 'keysweep';

/** The backend that the dispatcher chooses for a request. */
export interface Choice {
  readonly length: number;
  /** The backend of 'auto'. */
  readonly backend: BackendName;
  readonly reason: string;
  /** The profile behind the estimates: "built-in", or when it was measured. */
  readonly profile: string;
}

export interface Estimates {
  readonly choice: Choice | undefined;
  /** Estimated milliseconds of a backend; undefined if it does not take the request. */
  readonly of: (backend: BackendName | 'auto') => number | undefined;
}

/** The estimates for a request now. */
export function estimatesFor(
  sorter: Sorter,
  request: PlanRequest,
  backends: readonly (BackendName | 'auto')[],
): Estimates {
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
