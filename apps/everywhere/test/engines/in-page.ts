/**
 * The program in a page, a worker or a frame. Its own address has the task, and what comes of it
 * is sent to the site that it is from: every engine can do that, by whatever it was started.
 */

import type { Task } from './found.js';
import { runTask } from './program.js';

const { searchParams } = new URL(import.meta.url);
const task = JSON.parse(searchParams.get('task') ?? '') as Task;
const address = new URL(`/result/${task.run}`, import.meta.url);
const send = (body: string): Promise<Response> =>
  fetch(address, { method: 'POST', body, mode: 'no-cors' });
// A service worker may not wait at its top level.
runTask(task).then(
  (found) => send(JSON.stringify(found)),
  (error) => send(JSON.stringify({ error: `${error?.stack ?? error}` })),
);
