/** The code of page-worker.ts in one text, which the build makes. */
export declare const WORKER_SOURCE: string;
