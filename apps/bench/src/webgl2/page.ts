/** The page that checks and measures the WebGL2 backend: main.ts, or a test, calls `keysweepTasks.check` or `.measure`. */

import { check } from './check.js';
import { measure } from './measure.js';

Object.assign(globalThis, { keysweepTasks: { check, measure } });
document.title = 'ready';
