/** The thread that reads, sorts, and encodes the result. */

import { once } from 'node:events';
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { ByteSink } from '@keysweep/files';
import { messageOf, UsageError } from '../failure.js';
import type { Step } from '../text/progress.js';
import { perform } from './perform.js';
import type { FromJob, Job } from './protocol.js';

const port = parentPort as MessagePort;
const [job] = (await once(port, 'message')) as [Job];

function send(message: FromJob, moved: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, moved);
}

/** Between two messages of progress, in milliseconds. */
const INTERVAL = 50;
let sentAt = 0;

function tell(step: Step): void {
  const now = performance.now();
  if (now - sentAt < INTERVAL) return;
  sentAt = now;
  send({ kind: 'progress', step });
}

/** Resolves when the main thread has written what it was given last. */
let written: Promise<unknown> = Promise.resolve();

/** Has the main thread write bytes, whose memory moves there, after those before are written. */
async function handOver(kind: 'write' | 'writeAll', bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await written;
  written = once(port, 'message');
  send({ kind, bytes }, [bytes.buffer]);
}

/**
 * The command's output. A piece is copied if its memory stays with the writer. It is written while
 * the next one is made.
 */
const sink: ByteSink = {
  write: (bytes) => handOver('write', bytes.slice()),
  give(bytes) {
    const isWhole = bytes.length === bytes.buffer.byteLength;
    return handOver('write', isWhole ? bytes : bytes.slice());
  },
};

try {
  const surroundings = {
    tell,
    sink,
    writeAll: (bytes: Uint8Array<ArrayBuffer>) => handOver('writeAll', bytes),
    written: () => written,
  };
  send({ kind: 'done', ...(await perform(job, surroundings)) });
} catch (error) {
  const message = messageOf(error);
  send({ kind: 'failed', message, isUsage: error instanceof UsageError });
}
