/** The sentences on this device. */

import type { Probe } from 'keysweep';
import { expect, it } from 'vitest';
import { summaryOf } from '../src/device/panel.js';

const factsWith = (kernels: 'wasm' | 'plain', isolated: boolean) => {
  const capabilities = { description: 'made up', software: false, threads: 4, kernels };
  const cpu: Probe = { available: true, capabilities };
  return {
    browser: 'Chrome 147',
    isolated,
    threads: 4,
    memory: undefined,
    tick: 0.1,
    probes: { cpu },
    adapter: undefined,
  };
};

it('say that all threads are used only if WebAssembly works', () => {
  expect(summaryOf(factsWith('wasm', true))).toMatch(/^Chrome 147, 4 .*uses all threads\.$/);
  expect(summaryOf(factsWith('wasm', true))).not.toMatch(/WebAssembly/);
  for (const isolated of [true, false]) {
    const text = summaryOf(factsWith('plain', isolated));
    expect(text).toMatch(/WebAssembly does not work here: .*plain TypeScript, on one thread/);
    expect(text).not.toMatch(/all threads/);
  }
});
