/** The page that checks and measures the WebGL2 backend: main.ts, or a test, calls its tasks. */

import * as tasks from './webgl2-tasks.js';

Object.assign(globalThis, { keysweepTasks: { ...tasks } });
document.title = 'ready';
