/** What a person is told to do about a loss is something that helps where it was lost. */

import { noWebAssembly } from '@keysweep/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { THREADS as NODE } from '../dist/pool/threads-node.js';
import { THREADS as PAGE } from '../dist/pool/threads-web.js';

afterEach(() => vi.unstubAllGlobals());

describe('the remedy for threads that do not start', () => {
  it('in a page is its policy, or a file on its own origin', () => {
    vi.stubGlobal('origin', 'https://example.com');
    expect(PAGE.remedy()).toMatch(/'self' blob:.*workerUrl/);
  });

  it('in a frame without an origin names neither that origin nor a file on it', () => {
    vi.stubGlobal('origin', 'null');
    expect(PAGE.remedy()).toMatch(/blob:/);
    expect(PAGE.remedy()).not.toMatch(/'self'|workerUrl/);
  });

  it("in Node is a flag, and no page's policy", () => {
    expect(NODE.remedy()).toMatch(/--allow-worker/);
    expect(NODE.remedy()).not.toMatch(/page|worker-src/);
  });
});

it('a policy is the remedy for WebAssembly in pages alone', () => {
  expect(noWebAssembly('it is missing').message).not.toMatch(/policy|script-src/);
  vi.stubGlobal('location', {});
  expect(noWebAssembly('it is missing').message).toMatch(/'wasm-unsafe-eval' to its script-src/);
});
