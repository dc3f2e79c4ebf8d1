/** The page that measures regret: browser-main.ts, or a test, calls its task. */

import type { RegretOptions } from '../regret/measure.js';
import { measureRegret } from '../regret/measure.js';

/** All that is in the page is the default list of backends. */
const regret = (options: RegretOptions): ReturnType<typeof measureRegret> =>
  measureRegret(() => undefined, options);

Object.assign(globalThis, { keysweepTasks: { regret } });
document.title = 'ready';
