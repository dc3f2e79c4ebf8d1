/** Machines as pages and Node see them: their memory, and whether it can be shared. */

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { thisMachine as machineOfNode } from '../../dist/machine/machine-node.js';
import { thisMachine } from '../../dist/machine/machine-page.js';

describe('a machine as a page sees it', () => {
  it.each([thisMachine, machineOfNode])('shares memory if there is such memory', (look) => {
    expect(look().sharesMemory).toBe(true);
    vi.stubGlobal('SharedArrayBuffer', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(look().sharesMemory).toBe(false);
  });

  it('has half of the memory that the browser tells of, if that is all', () => {
    const seen = (navigator: object | undefined) => {
      vi.stubGlobal('navigator', navigator);
      onTestFinished(() => void vi.unstubAllGlobals());
      const { cores, isNode, freeBytes } = thisMachine();
      expect(isNode).toBe(false);
      return [cores, freeBytes()];
    };
    const all = Number.POSITIVE_INFINITY;
    expect(seen({ hardwareConcurrency: 6, deviceMemory: 4 })).toEqual([6, 2 ** 31]);
    expect(seen({ hardwareConcurrency: 6, deviceMemory: 8 })).toEqual([6, all]);
    expect(seen({ hardwareConcurrency: 2, deviceMemory: 0.5 })).toEqual([2, 2 ** 28]);
    expect(seen({ deviceMemory: 16 })).toEqual([1, all]);
    expect(seen({})).toEqual([1, all]);
    expect(seen(undefined)).toEqual([1, all]);
  });
});
