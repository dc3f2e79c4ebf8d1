/** The page of subcommands that run in a browser: they, or a test, call its tasks. */

import { measureRegret, type Regret, type RegretOptions } from '../regret/measure.js';
import { checkWebgl2 } from './webgl2-check.js';
import { measureWebgl2 } from './webgl2-measure.js';

const regret = (options: RegretOptions): Promise<Regret> => measureRegret(options);

/** What the page offers, under the global name keysweepTasks. */
export interface PageTasks {
  readonly checkWebgl2: typeof checkWebgl2;
  readonly measureWebgl2: typeof measureWebgl2;
  readonly regret: typeof regret;
}

Object.assign(globalThis, {
  keysweepTasks: { checkWebgl2, measureWebgl2, regret } satisfies PageTasks,
});
document.title = 'ready';
