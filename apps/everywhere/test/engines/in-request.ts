/** The program in workerd, which lets a script work only while it answers a request. */

import type { Task } from './found.js';
import { runTask } from './program.js';

/** Written here by the bundler. */
declare const TASK: Task;

export default {
  fetch: async (): Promise<Response> => new Response(JSON.stringify(await runTask(TASK))),
};
