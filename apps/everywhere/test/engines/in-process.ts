/** The program in a process, such as Deno's: it has the task and prints what comes of it. */

import type { Task } from './found.js';
import { runTask } from './program.js';

/** Written here by the bundler. */
declare const TASK: Task;
// A script may not wait at its top level.
runTask(TASK).then((found) => console.log(JSON.stringify(found)));
