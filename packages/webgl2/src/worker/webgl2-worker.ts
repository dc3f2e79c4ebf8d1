/** The worker: it sorts what session.ts sends. */

import { BackendUnavailableError } from '@keysweep/core';
// Not by import(): bundlers make one file of a worker by default.
import * as module from 'gpu.js';
import { Engine } from '../context/engine.js';
import { type GpuLibrary, loadLibrary } from '../context/library.js';
import { Failure } from '../failure.js';
import type { Greeting, News, Question, Trouble } from './messages.js';

/** The globals of a worker, which TypeScript's types for pages lack. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<Question>) => void) | null;
  postMessage(message: Greeting | News, transfer?: Transferable[]): void;
}

const scope = globalThis as unknown as WorkerScope;

const troubleOf = (error: unknown): Trouble => {
  if (error instanceof BackendUnavailableError)
    return { kind: 'unavailable', reason: error.reason };
  return { kind: 'failed', reason: error instanceof Failure ? error.message : String(error) };
};

async function start(library: GpuLibrary): Promise<void> {
  let engine = Engine.open(library);
  const answer = async (question: Question): Promise<void> => {
    if (question.kind === 'release') {
      engine.release();
      return;
    }
    const { id, job } = question;
    try {
      // The context may have been lost since the last job.
      if (engine.isLost) engine = Engine.open(library);
      const sorted = await engine.sort(job, (stage) => {
        scope.postMessage({ id, kind: 'stage', stage });
      });
      scope.postMessage({ id, kind: 'sorted', sorted }, [sorted.words.buffer]);
    } catch (error) {
      scope.postMessage({ id, ...troubleOf(error) });
    }
  };
  // One after the other: an earlier job may still run although it was given up.
  let turn: Promise<void> = Promise.resolve();
  scope.onmessage = ({ data }) => {
    turn = turn.then(() => answer(data));
  };
  scope.postMessage({ kind: 'ready' });
}

loadLibrary(async () => module)
  .then(start)
  .catch((error: unknown) => scope.postMessage(troubleOf(error)));
