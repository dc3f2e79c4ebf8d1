/** The figures that a sorter plans by: the built-in ones, or a profile's. */

import type { Machine } from '../machine/machine.js';
import { keyOf, type Profile } from '../plan/profile.js';
import type { ProfileNote } from '../plan/types.js';
import type { BackendState } from './backend-state.js';

export class Figures {
  readonly #states: readonly BackendState[];
  readonly #machine: Machine;
  /** The GPU that the figures were measured with; null if there was none. */
  #adapter: string | null = null;
  /** Which figures are used, and why. */
  note: ProfileNote;

  /** Begins with a profile, or with the built-in figures and the reason for them. */
  constructor(
    states: readonly BackendState[],
    machine: Machine,
    profile: Profile | string = 'this machine has not been measured: calibrate() does so',
  ) {
    this.#states = states;
    this.#machine = machine;
    this.note = { name: 'built-in', reason: String(profile) };
    if (typeof profile === 'object') this.use(profile);
  }

  /** Uses measured figures. */
  use({ backends, date, key }: Profile): void {
    for (const state of this.#states) state.use(backends[state.backend.name]);
    const { runtime, cores, adapter } = key;
    this.note = {
      name: `measured ${date}`,
      reason: `on this machine: ${runtime}, ${cores} cores`,
    };
    this.#adapter = adapter;
  }

  /**
   * Goes back to the built-in figures if the measured ones come from another GPU than the one
   * found.
   */
  checkAdapter(): void {
    const found = this.#foundAdapter();
    if (this.#adapter === null || !found || found === this.#adapter) return;
    for (const state of this.#states) state.use(undefined);
    this.note = {
      name: 'built-in',
      reason: `the profile that was given is of another GPU: ${this.#adapter}, not ${found}`,
    };
    this.#adapter = null;
  }

  /** The figures as a profile, to be kept. */
  toProfile(): Profile {
    const found = this.#foundAdapter();
    return {
      version: 1,
      key: keyOf(this.#machine, found === undefined ? this.#adapter : found),
      date: new Date().toISOString(),
      backends: Object.fromEntries(
        this.#states.map(({ backend, figures }) => [backend.name, figures] as const),
      ),
    };
  }

  /** The first GPU that was found; null if there is none, undefined if nobody has probed yet. */
  #foundAdapter(): string | null | undefined {
    const probes = this.#states
      .filter(({ backend }) => backend.name.startsWith('webg'))
      .map(({ probe }) => probe);
    const found = probes.find((probe) => probe?.available);
    if (found?.available) return found.capabilities.description;
    return probes.includes(undefined) ? undefined : null;
  }
}
