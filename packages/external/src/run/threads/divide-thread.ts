/** The program of a thread, which divides a stretch of files and then ends. */

import { parentPort } from 'node:worker_threads';
import { makeRoom } from '../../divide/memory-plan.js';
import { writeParts } from '../../divide/partition.js';
import { Splitters } from '../../divide/splitters.js';
import { ExternalError } from '../../error.js';
import { KeyWords } from '../../open/key-words.js';
import { openFiles } from '../../open/source.js';
import { takeNames } from '../../storage/live.js';
import { localStorage } from '../../storage/local.js';
import type { Order, Reply, Setup } from './messages.js';

/** Whether the caller wants no more: then files are closed, and the thread ends. */
let isStopped = false;

const say = (reply: Reply): void => parentPort?.postMessage(reply);

async function divide({ layout, memoryPlan, ...task }: Setup): Promise<void> {
  takeNames(task.names);
  let told = 0;
  const run = {
    storage: localStorage,
    layout,
    keyWords: new KeyWords(layout),
    count: { read: 0, written: 0 },
    tell(_: string, completed: number): void {
      if (isStopped) throw new Error('the caller has stopped it');
      say({ kind: 'told', bytes: completed - told });
      told = completed;
    },
  };
  const { paths, splitters, folder, stretch } = task;
  const source = await openFiles(run, paths);
  try {
    const divided = new Splitters(splitters);
    const room = makeRoom(memoryPlan);
    const parts = await writeParts(run, source, divided, { memoryPlan, room, folder, stretch });
    say({ kind: 'done', parts, ...run.count });
  } finally {
    await source.close();
  }
}

say({ kind: 'told', bytes: 0 });
parentPort?.once('message', async (order: Order) => {
  parentPort?.once('message', () => {
    isStopped = true;
  });
  if (order !== 'stop') {
    await divide(order).catch((error: Error) => {
      const isPlain = error instanceof ExternalError;
      const message = isPlain ? error.message : (error.stack ?? error.message);
      say({ kind: 'failed', message, isPlain });
    });
  }
  // Otherwise it would wait for another message.
  parentPort?.close();
});
