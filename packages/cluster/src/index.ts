/**
 * @keysweep/cluster: sorts files by several processes, on one machine or many. The stages of
 * `sortFile` are jobs of BullMQ, in Redis or PostgreSQL; data goes through a shared folder.
 *
 * ```ts
 * import { runWorker, submitSort } from '@keysweep/cluster';
 * const connection = 'redis://127.0.0.1:6379';
 * void runWorker(connection, { roots: ['/shared'] }); // in as many processes as wanted
 * await submitSort(connection, { input: '/shared/a.u64', output: '/shared/b.u64', type: 'u64' });
 * ```
 */

export type {
  ClusterProgress,
  ClusterReport,
  SortPlan,
  WorkerOptions,
} from './options.js';
export { type LocalStore, startLocalStore } from './store/local-store.js';
export { submitSort } from './submit.js';
export { runWorker } from './work/worker.js';
