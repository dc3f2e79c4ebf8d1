/** The rates of two sorts on this machine, and the worker that measures them. */

/** A sort of a paper, and keysweep's of the same keys. */
export interface Rate {
  readonly count: number;
  /** Where both ran: a GPU by its name, or a thread. */
  readonly where: string;
  /** Whether the GPU is a program on the CPU. */
  readonly isSoftware: boolean;
  /** Median milliseconds of a sort. */
  readonly theirs: number;
  readonly ours: number;
}

export type FromRateWorker =
  | { readonly kind: 'rate'; readonly rate: Rate }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Measures the sort of that name in a worker, which is ended afterwards. Rejects with an Error
 * whose message is a part of a sentence.
 */
export async function measureRate(name: string): Promise<Rate> {
  const worker = new Worker(new URL('./rate-worker.ts', import.meta.url), {
    type: 'module',
    name: 'keysweep gallery',
  });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FromRateWorker>) => {
        if (data.kind === 'rate') resolve(data.rate);
        else reject(new Error(data.message));
      };
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message || 'the worker’s code could not be loaded'));
      };
      worker.postMessage(name);
    });
  } finally {
    worker.terminate();
  }
}
