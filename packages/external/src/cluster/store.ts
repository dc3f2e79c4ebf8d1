/** The store: a queue of jobs in Redis or PostgreSQL, by BullMQ. Drivers are loaded when wanted. */

import type { EventEmitter } from 'node:events';
import { untilAborted } from '@keysweep/core';
import type { Processor, Queue, Worker, WorkerOptions } from 'bullmq';
import { ExternalError } from '../error.js';
import { inTime } from './in-time.js';

/** A queue, and workers of it, that share the kind of their store. */
export interface Store {
  readonly queue: Queue;
  /** What a job throws to wait for its children, to be given back, or to be tried no more. */
  readonly errors: Pick<
    typeof import('bullmq'),
    'WaitingChildrenError' | 'WaitingError' | 'UnrecoverableError'
  >;
  /** A worker that has not begun: `run()` begins it. */
  worker(process: Processor, options: Partial<WorkerOptions>): Worker;
  /** Ends the workers, once their jobs have ended, and all connections. */
  close(): Promise<void>;
}

/** Between two tries to reach a store that was lost. */
const RETRY = 1000;
/** A store that does not answer for so long when it is first asked is given up. */
const FIRST_ANSWER = 15_000;
/** A store that does not answer is not waited for longer at the end. */
const LAST_WORDS = 5000;
/** Connections of a process to PostgreSQL, for the queue and for its workers each. */
const POOL = 4;

/**
 * Opens the queue `name` of the store at `connection`, an address such as redis://host:6379 or
 * postgres://user:password@host/database. Tables of PostgreSQL are made where they are not there.
 * @throws TypeError for other addresses; ExternalError where the store cannot be reached; the
 *   reason of `signal`
 */
export async function openStore(
  connection: string,
  name: string,
  onError: (error: Error) => void,
  signal: AbortSignal | undefined,
): Promise<Store> {
  const { protocol, shown } = addressOf(connection);
  const isPostgres = protocol.startsWith('postgres');
  const bullmq = await installed<typeof import('bullmq')>('bullmq');
  const driver = await installed<Driver>(isPostgres ? 'pg' : 'ioredis');
  let isClosing = false;
  const retryStrategy = (): number | null => (isClosing ? null : RETRY);
  const options = {
    connection: isPostgres
      ? { ...forPostgres(driver), connectionString: connection, max: POOL }
      : { url: connection, maxRetriesPerRequest: null, retryStrategy },
  };
  // The types are those of Redis; the backend decides what a connection is.
  const backend = (isPostgres ? bullmq.createPostgresBackend : undefined) as undefined;
  const queue = new bullmq.Queue(name, options as never, backend as never) as Queue;
  const workers: Worker[] = [];
  const close = async (): Promise<void> => {
    isClosing = true;
    await inTime(Promise.all(workers.map((worker) => worker.close())), LAST_WORDS);
    await inTime(queue.close(), LAST_WORDS);
  };
  try {
    await untilAborted(answered(queue), signal);
  } catch (cause) {
    queue.on('error', () => {});
    await close();
    signal?.throwIfAborted();
    const { message, code = '' } = cause as NodeJS.ErrnoException;
    throw new ExternalError(`cannot reach the store at ${shown}: ${message || code}`, { cause });
  }
  queue.on('error', onError);
  return {
    queue,
    errors: bullmq,
    worker(process, more) {
      const given = { ...options, autorun: false, runRetryDelay: RETRY, ...more };
      const worker = new bullmq.Worker(name, process, given as never, backend as never) as Worker;
      workers.push(worker.on('error', onError));
      return worker;
    },
    close,
  };
}

/** The part of the package pg that is used. */
interface Driver {
  readonly default: { readonly Client: new (config: unknown) => EventEmitter };
}

/** Options of PostgreSQL: tables are made where they are not there. */
function forPostgres({ default: { Client } }: Driver): object {
  /** A lost connection fails what is under way on it. Nobody else listens to its errors. */
  class QuietClient extends Client {
    constructor(config: unknown) {
      super(config);
      this.on('error', () => {});
    }
  }
  return { Client: QuietClient, migrate: true, keepAlive: true };
}

/** Resolves when the store has answered. @throws its first error, or that it does not answer */
async function answered(queue: Queue): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let fail = (_: Error): void => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
    timer = setTimeout(() => reject(new Error(`no answer in ${FIRST_ANSWER} ms`)), FIRST_ANSWER);
  });
  queue.on('error', fail);
  try {
    await Promise.race([queue.waitUntilReady(), failed]);
  } finally {
    clearTimeout(timer);
    queue.off('error', fail);
  }
}

/** The kind of a store, and its address without the password. */
function addressOf(connection: string): { protocol: string; shown: string } {
  const url = typeof connection === 'string' && URL.canParse(connection) ? new URL(connection) : '';
  if (url === '' || !/^(rediss?|postgres(ql)?):$/.test(url.protocol)) {
    throw new TypeError(
      'connection must be an address such as redis://127.0.0.1:6379 or ' +
        `postgres://user:password@127.0.0.1/database, got '${connection}'`,
    );
  }
  return { protocol: url.protocol, shown: `${url.protocol}//${url.host}${url.pathname}` };
}

/** A package that those install who have a cluster. @throws ExternalError where it is not there */
async function installed<T>(name: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (cause) {
    throw new ExternalError(`the package '${name}' is needed: npm install ${name}`, { cause });
  }
}
