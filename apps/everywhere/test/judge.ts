/** What is expected of every consumer. */

import { expect } from 'vitest';
import type { Consumer } from './consumers.js';
import type { Project } from './project.js';
import type { Trial } from './trial.js';

/**
 * Tries a consumer. Expects right results, the last one by a backend, because the first sorts may
 * be left to a built-in radix sort, such as Bun's, until a start pays. Expects no fallback and no
 * warning; if it `warns`, at least one of keysweep's own, and then any backend: without kernels the
 * engine's own sort can be the fastest, as Chromium's is for integers.
 */
export async function judge(consumer: Consumer, project: Project): Promise<readonly Trial[]> {
  const trials = await consumer.run(project);
  for (const { place, outcome, warnings } of trials) {
    const { sorts, isolated } = outcome;
    const about = `${place}, KEYSWEEP_SEED=${project.seed}: ${JSON.stringify(outcome)}`;
    const said = [...outcome.warnings, ...warnings];
    if (consumer.warns) expect(outcome.warnings, about).not.toEqual([]);
    else expect(said, about).toEqual([]);
    expect(
      sorts.map(({ right }) => right),
      about,
    ).toEqual([true, true, true]);
    for (const { fallbacks } of sorts) expect(fallbacks, about).toEqual([]);
    if (!consumer.warns) expect(sorts.at(-1)?.backend, about).toMatch(/^(cpu|webgpu)$/);
    expect(isolated, about).toBe(place === 'isolated page');
  }
  return trials;
}
