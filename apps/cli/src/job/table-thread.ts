/** A thread that reads columns and encodes rows, one task after the other. */

import { once } from 'node:events';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { performTask, type ThreadTask } from '@keysweep/files';
import { readerOf } from '../io/source.js';
import type { Reply, TableFile } from './table-threads.js';

const port = parentPort as MessagePort;
let last: Promise<void> = Promise.resolve();
const [file] = (await once(port, 'message')) as [TableFile];
const { name, size, descriptor } = file;
const source = { name, size, read: readerOf(name, descriptor, size) };

async function answer(task: ThreadTask | 'end'): Promise<void> {
  if (task === 'end') {
    port.close();
    return;
  }
  try {
    const result = await performTask(task, source);
    const pieces = result !== undefined && 'pieces' in result ? result.pieces : [];
    port.postMessage({ result } satisfies Reply, [...new Set(pieces.map(({ buffer }) => buffer))]);
  } catch {
    // The thread that asks does the work itself, and says what is wrong with it.
    port.postMessage({ failed: true } satisfies Reply);
  }
}

port.on('message', (task: ThreadTask | 'end') => {
  last = last.then(() => answer(task));
});
