/** The store: a queue of jobs in Redis or PostgreSQL, by BullMQ. Drivers are loaded when wanted. */

import type { EventEmitter } from 'node:events';
import { untilAborted } from '@keysweep/core';
import { ExternalError } from '@keysweep/external';
import {
  describe,
  later,
  secretsIn,
  shownLine,
  withoutSecretsIn,
} from '@keysweep/external/internal';
import { shownAddress } from '@keysweep/external/storage';
import type { Processor, Queue, Worker, WorkerOptions } from 'bullmq';
import { inTime } from './in-time.js';

/** A queue, and workers of it, that share the kind of their store. */
export interface Store {
  readonly queue: Queue;
  /** What a job throws to wait for its children, to be given back, or to be tried no more. */
  readonly errors: Pick<
    typeof import('bullmq'),
    'WaitingChildrenError' | 'WaitingError' | 'UnrecoverableError'
  >;
  /** An error that may come from the driver, without the password of the store's address. */
  clean(error: unknown): Error;
  /**
   * A worker that is connected, and has not begun: `run()` begins it.
   * @throws ExternalError if the store cannot be reached; the reason of `signal`
   */
  worker(process: Processor, options: Partial<WorkerOptions>): Promise<Worker>;
  /** Ends the workers, once their jobs have ended, and all connections. */
  close(): Promise<void>;
}

/** Milliseconds between two tries to reach a store whose connection was lost. */
const RETRY_INTERVAL = 1000;
/** Milliseconds that the store has for its first answer; without one, opening it fails. */
const OPEN_TIMEOUT = 15_000;
/** Milliseconds that closing waits for a store that does not answer. */
const CLOSE_TIMEOUT = 5000;
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
  const isPostgres = isPostgresAt(connection);
  const secrets = secretsIn(connection);
  const clean = (error: unknown): Error =>
    withoutSecretsIn(error instanceof Error ? error : new Error(String(error)), secrets);
  const bullmq = await installed<typeof import('bullmq')>('bullmq');
  const driver = await installed<Driver>(isPostgres ? 'pg' : 'ioredis');
  let isClosing = false;
  const retryStrategy = (): number | null => (isClosing ? null : RETRY_INTERVAL);
  const options = {
    connection: isPostgres
      ? { ...forPostgres(driver), connectionString: connection, max: POOL }
      : { url: connection, maxRetriesPerRequest: null, retryStrategy },
  };
  // The types are Redis's; the backend decides what a connection is.
  const backend = (isPostgres ? bullmq.createPostgresBackend : undefined) as undefined;
  const failure = (error: unknown): ExternalError => {
    const cause = clean(error);
    const { message, code = '' } = cause as NodeJS.ErrnoException;
    const why = shownLine(message || code);
    return new ExternalError(`cannot reach the store at ${shownAddress(connection)}: ${why}`, {
      cause,
    });
  };
  const queue = explainedBy(
    failure,
    () => new bullmq.Queue(name, options as never, backend as never) as Queue,
  );
  const report = (error: Error): void => onError(clean(error));
  const workers: Worker[] = [];
  const closeWorker = async (worker: Worker): Promise<void> => {
    // On PostgreSQL, one that is closed while it connects would open a last connection after that,
    // which nobody ends and which holds the process for ever.
    if (isPostgres) await inTime(worker.waitUntilReady(), OPEN_TIMEOUT).catch(() => {});
    await worker.close();
  };
  const close = async (): Promise<void> => {
    isClosing = true;
    await inTime(Promise.all(workers.map(closeWorker)), CLOSE_TIMEOUT);
    await inTime(queue.close(), CLOSE_TIMEOUT);
  };
  /** Waits until the store has answered on the connections of `opened`. Without, closes all. */
  const reach = async (opened: Queue | Worker): Promise<void> => {
    try {
      await untilAborted(answered(opened), signal);
    } catch (cause) {
      // What could not be opened may not be able to close either. The first error counts.
      (opened as EventEmitter).on('error', () => {});
      await close().catch(() => {});
      signal?.throwIfAborted();
      throw failure(cause);
    }
  };
  await reach(queue);
  queue.on('error', report);
  return {
    queue,
    clean,
    errors: bullmq,
    async worker(process, more) {
      const given = { ...options, autorun: false, runRetryDelay: RETRY_INTERVAL, ...more };
      const worker = new bullmq.Worker(name, process, given as never, backend as never) as Worker;
      workers.push(worker.on('error', report));
      // It has connections of its own. One whose first connection fails would ask again at once,
      // for ever, and leave the process no time for anything else.
      await reach(worker);
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
  /** If a connection is lost, the calls under way on it fail. Nobody else listens to its errors. */
  class QuietClient extends Client {
    constructor(config: unknown) {
      super(config);
      this.on('error', () => {});
    }
  }
  return { Client: QuietClient, migrate: true, keepAlive: true };
}

/** Resolves when the store has answered. @throws its first error, or that it does not answer */
async function answered(queue: Queue | Worker): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let fail = (_: Error): void => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
    timer = setTimeout(() => reject(new Error(`no answer in ${OPEN_TIMEOUT} ms`)), OPEN_TIMEOUT);
  });
  (queue as EventEmitter).on('error', fail);
  try {
    await Promise.race([later(queue.waitUntilReady()), failed]);
  } finally {
    clearTimeout(timer);
    (queue as EventEmitter).off('error', fail);
  }
}

/** The result of `make`. @throws what `failure` makes of its error */
function explainedBy<T>(failure: (error: unknown) => Error, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw failure(error);
  }
}

/** Whether the store is PostgreSQL. @throws TypeError unless this is a store's address */
function isPostgresAt(connection: unknown): boolean {
  if (typeof connection !== 'string') {
    throw new TypeError(`${EXPECTED}, got ${describe(connection)}`);
  }
  const [, scheme] = /^(rediss?|postgres(?:ql)?):\/\//.exec(connection) ?? [];
  if (scheme !== undefined && URL.canParse(connection)) return scheme.startsWith('postgres');
  if (!connection.includes('://')) throw new TypeError(`${EXPECTED}, got text without '://'`);
  throw new TypeError(`${EXPECTED}, got '${shownAddress(connection)}'${ENCODED}`);
}

// These have no '@', because whoever prints messages takes what stands before one for a password.
const EXPECTED =
  'connection must be an address such as redis://127.0.0.1:6379 or postgres://127.0.0.1/database';
const ENCODED =
  " (in a password '/', '?', '#' and the at sign are written as %2F, %3F, %23 and %40)";

/** A package that those install who have a cluster. @throws ExternalError where it is not there */
async function installed<T>(name: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (cause) {
    throw new ExternalError(`the package '${name}' is needed: npm install ${name}`, { cause });
  }
}
