/** What is known about this machine and browser, and what can be measured on it. */

import type { BackendName, Probe } from 'keysweep';
import { backendOf, SERIES, type SeriesId } from '../settings/settings.js';

/** A GPU as WebGPU shows it. */
export interface AdapterFacts {
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  readonly subgroups: string | undefined;
}

export interface Facts {
  readonly browser: string;
  readonly isolated: boolean;
  readonly threads: number;
  /** GiB, rounded by the browser; undefined where it does not tell. */
  readonly memory: number | undefined;
  /** Milliseconds between two ticks of the clock. */
  readonly tick: number;
  readonly probes: Readonly<Partial<Record<BackendName, Probe>>>;
  readonly adapter: AdapterFacts | undefined;
}

/** Whether a series can be measured here. */
export type Availability =
  | { readonly available: true; readonly software: boolean }
  | { readonly available: false; readonly reason: string };

/** Which series can be measured here, and why the others cannot. */
export function availabilityOf(facts: Facts): Readonly<Record<SeriesId, Availability>> {
  const entries = SERIES.map((series): [SeriesId, Availability] => {
    const probe = facts.probes[backendOf(series)];
    if (probe === undefined)
      return [series, { available: false, reason: 'this version does not have it' }];
    if (!probe.available) return [series, probe];
    return [series, { available: true, software: probe.capabilities.software }];
  });
  return Object.fromEntries(entries) as Record<SeriesId, Availability>;
}
