/** What is known about this machine and browser, and what can be measured on it. */

import type { BackendName, Probe } from 'keysweep';
import { backendOf, RIVALS, type Rival } from '../settings/settings.js';

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
export function availabilityOf(facts: Facts): Readonly<Record<Rival, Availability>> {
  const entries = RIVALS.map((series): [Rival, Availability] => {
    const probe = facts.probes[backendOf(series)];
    if (probe === undefined)
      return [series, { available: false, reason: 'this version does not have it' }];
    if (!probe.available) return [series, probe];
    return [series, { available: true, software: probe.capabilities.software }];
  });
  return Object.fromEntries(entries) as Record<Rival, Availability>;
}

/** The name of the GPU that WebGPU or WebGL2 finds; undefined where there is none but software. */
export function gpuOf({ probes }: Pick<Facts, 'probes'>): string | undefined {
  for (const probe of [probes.webgpu, probes.webgl2]) {
    if (probe?.available && !probe.capabilities.software) {
      return gpuName(probe.capabilities.description);
    }
  }
  return undefined;
}

/**
 * A GPU's name in what a driver says of it: "NVIDIA GeForce RTX 3080" of "ANGLE (NVIDIA, NVIDIA
 * GeForce RTX 3080 (0x2206) Direct3D11 vs_5_0 ps_5_0, D3D11) (WebGL2), up to 16777216 keys".
 */
export function gpuName(description: string): string {
  const plain = description.replace(/ \((WebGPU|WebGL2)\).*$/, '');
  // ANGLE (maker, device, driver)
  const device = /^ANGLE \([^,]*, ([^,]*)/.exec(plain)?.[1] ?? plain;
  return device
    .replace(/^(ANGLE Metal Renderer: |Vulkan [\d.]+ \()/, '')
    .replace(/ (\((?!TM\)|R\)|C\))|Direct3D|OpenGL|vs_).*$/, '')
    .replace(/\/PCIe.*$/, '');
}
