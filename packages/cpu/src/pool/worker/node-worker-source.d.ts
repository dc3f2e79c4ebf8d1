/** The code of node-text-worker.ts in one text, which the build makes. */
export declare const NODE_WORKER_SOURCE: string;
