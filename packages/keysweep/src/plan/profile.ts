/** Profiles: what sorts cost on one machine, and whether a profile fits this one. */

import { type BackendName, describe } from '@keysweep/core';
import { type Machine, VERSION } from '../machine/machine.js';
import type { Engine, Kernels } from '../machine/runtime.js';
import type { Times } from './cost.js';

/** What sorts cost on a machine, as plain JSON. `calibrate()` makes it, `createSorter` takes it. */
export interface Profile {
  /** Version of the format. */
  readonly version: 1;
  /** The machine that was measured. */
  readonly key: ProfileKey;
  /** When it was measured, in ISO 8601. */
  readonly date: string;
  /** What sorts cost on each backend that worked there. */
  readonly backends: { readonly [name in BackendName]?: BackendProfile };
}

/** The machine of a profile. On any other machine the profile is ignored. */
export interface ProfileKey {
  /** Version of keysweep. */
  readonly library: string;
  /** The runtime and its version: "Node.js 20.20.2", "Bun 1.4.5", "Chrome 147". */
  readonly runtime: string;
  /** The engine of the runtime, which decides what the built-in sort costs. */
  readonly engine: Engine;
  /** How the kernels of the CPU backend ran. */
  readonly kernels: Kernels;
  /** Processors that the runtime reports. */
  readonly cores: number;
  /** Whether threads could work in one memory. */
  readonly sharesMemory: boolean;
  /** The GPU, as its probe describes it; null if none was found. */
  readonly adapter: string | null;
}

/** What one backend costs. */
export interface BackendProfile {
  /** Milliseconds of a start. Absent if the backend was warm already, or was not measured. */
  readonly start?: number;
  /**
   * Milliseconds of warm calls by length, for each operation and key type: { "sort u32": [[1024,
   * 0.02], …] }.
   */
  readonly times: Readonly<Record<string, Times>>;
}

/** The key of this machine. */
export function keyOf(machine: Machine, adapter: string | null): ProfileKey {
  const { runtime, engine, kernels, cores, sharesMemory } = machine;
  return { library: VERSION, runtime, engine, kernels, cores, sharesMemory, adapter };
}

/**
 * Says as a clause why a profile does not fit this machine; undefined if it fits. The GPU is
 * compared later, once one has been found.
 */
export function mismatchOf(given: unknown, machine: Machine): string | undefined {
  if (!isProfile(given)) return `it is no profile of version 1: ${describe(given)}`;
  const mine = keyOf(machine, given.key.adapter);
  const names = {
    library: 'keysweep',
    runtime: 'runtime',
    engine: 'engine',
    kernels: 'kind of kernels',
    cores: 'cores',
    sharesMemory: 'sharing',
  };
  for (const [name, label] of Object.entries(names) as [keyof ProfileKey, string][]) {
    if (given.key[name] === mine[name]) continue;
    return `it was measured with another ${label}: ${given.key[name]}, not ${mine[name]}`;
  }
  return undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number => Number.isFinite(value) && Number(value) > 0;

function isProfile(given: unknown): given is Profile {
  if (!isRecord(given) || given.version !== 1 || typeof given.date !== 'string') return false;
  const { key, backends } = given;
  if (!isRecord(key) || !isRecord(backends)) return false;
  if (key.adapter !== null && typeof key.adapter !== 'string') return false;
  return Object.values(backends).every(isBackendProfile);
}

function isBackendProfile(given: unknown): boolean {
  if (!isRecord(given) || !isRecord(given.times)) return false;
  const { start, times } = given;
  if (start !== undefined && !(isCount(start) || start === 0)) return false;
  return Object.entries(times).every(
    ([name, points]) =>
      /^(sort|sortPairs|argsort) [uf](8|16|32|64)$/.test(name) &&
      Array.isArray(points) &&
      isRising(points),
  );
}

/** Whether lengths rise, each with a time. */
function isRising(points: readonly unknown[]): boolean {
  let before = 0;
  for (const point of points) {
    if (!Array.isArray(point) || !isCount(point[0]) || !isCount(point[1])) return false;
    if (point[0] <= before) return false;
    before = point[0];
  }
  return true;
}
