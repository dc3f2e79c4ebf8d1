/** Does what the address asks for, in the page or in a worker; the title then tells the outcome. */

import { sortAndCompare } from './sort.js';

const { realm, ...task } = Object.fromEntries(new URLSearchParams(location.search));
const outcome = await (realm === 'worker' ? inWorker(task) : sortAndCompare(task));
document.title = JSON.stringify(outcome);

function inWorker(task) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(`the worker failed: ${message}`));
    worker.postMessage(task);
  });
}
