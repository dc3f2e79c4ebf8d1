/**
 * A profile: what sorts cost on one machine. Whether one that a caller has kept still fits is
 * decided here.
 */

import type { BackendName } from '@keysweep/core';
import { type Machine, VERSION } from '../machine/machine.js';
import { describe } from '../request/describe.js';
import type { Times } from './cost.js';

/**
 * What backends cost on a machine: plain JSON, made by `calibrate()`, for `createSorter({
 * profile })`.
 */
export interface Profile {
  /** Of this format. */
  readonly version: 1;
  readonly key: ProfileKey;
  /** When it was measured: ISO 8601. */
  readonly date: string;
  readonly backends: { readonly [name in BackendName]?: BackendProfile };
}

/** Where a profile's figures hold: anywhere else it is ignored. */
export interface ProfileKey {
  /** Version of keysweep. */
  readonly library: string;
  /** The runtime and its version: "Node.js 20.20.2". */
  readonly runtime: string;
  readonly cores: number;
  /** Whether threads could work in one memory. */
  readonly sharesMemory: boolean;
  /** The GPU, as its probe describes it; null where none was found. */
  readonly adapter: string | null;
}

/** What one backend costs. */
export interface BackendProfile {
  /**
   * Milliseconds that its first sort took longer; absent where it was warm already, or not
   * measured.
   */
  readonly start?: number;
  /**
   * Milliseconds of a warm call by length, by operation and key type: { "sort u32": [[1024,
   * 0.02], …] }.
   */
  readonly times: Readonly<Record<string, Times>>;
}

/** The key of this machine. */
export function keyOf(machine: Machine, adapter: string | null): ProfileKey {
  const { runtime, cores, sharesMemory } = machine;
  return { library: VERSION, runtime, cores, sharesMemory, adapter };
}

/**
 * Why a profile does not fit this machine, as a clause; undefined where it does. Its adapter is
 * compared when that is known.
 */
export function mismatchOf(given: unknown, machine: Machine): string | undefined {
  if (!isProfile(given)) return `it is no profile of version 1: ${describe(given)}`;
  const mine = keyOf(machine, given.key.adapter);
  const names = {
    library: 'keysweep',
    runtime: 'runtime',
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

/** Whether lengths come in order, each with its time. */
function isRising(points: readonly unknown[]): boolean {
  let before = 0;
  for (const point of points) {
    if (!Array.isArray(point) || !isCount(point[0]) || !isCount(point[1])) return false;
    if (point[0] <= before) return false;
    before = point[0];
  }
  return true;
}
