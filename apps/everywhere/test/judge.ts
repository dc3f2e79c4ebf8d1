/** What is expected of every consumer. */

import { expect } from 'vitest';
import type { Consumer } from './consumers.js';
import type { Project } from './project.js';
import type { Trial } from './trial.js';

/**
 * Tries a consumer. Expects right results, of threads or a GPU from the second sort on, and no
 * warning; where it `warns`, at least one of keysweep's own.
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
    for (const { backend, fallbacks } of sorts.slice(1)) {
      expect(backend, about).toMatch(/^(cpu|webgpu)$/);
      expect(fallbacks, about).toEqual([]);
    }
    expect(isolated, about).toBe(place === 'isolated page');
  }
  return trials;
}
