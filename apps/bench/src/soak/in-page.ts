/** A soak in a page: see `soakInBrowser`, which opens the page and hears of each era. */

import type { BackendName } from 'keysweep';
import { Devices } from './counts.js';
import { CALLS, runEra, type SoakFault } from './era.js';
import type { Host } from './host.js';
import type { Outcome } from './serve.js';
import type { EraEnd } from './watch.js';

export interface PageSoak {
  readonly seed: number;
  readonly backends: readonly (BackendName | 'auto')[];
  readonly maxOnGpu: number;
  /** The first era, and how many there are at most. */
  readonly first: number;
  readonly eras?: number | undefined;
}

/** What the page sends after each era, and at its end. */
export type PageWord =
  | { readonly end: EraEnd; readonly backends: readonly string[] }
  | { readonly fault: { readonly call: number; readonly message: string }; readonly end?: EraEnd };

/** The page's workers, as long as nothing has ended them. */
class Workers {
  readonly #live = new Set<Worker>();

  constructor() {
    const live = this.#live;
    globalThis.Worker = class extends Worker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        live.add(this);
      }
      override terminate(): void {
        live.delete(this);
        super.terminate();
      }
    };
  }

  get live(): readonly Worker[] {
    return [...this.#live];
  }
}

/** Counts what listens to a signal by its methods: a page is not told of that. */
export function watchListeners(signal: AbortSignal): () => number {
  const live = new Map<unknown, boolean>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  const changed: Pick<AbortSignal, 'addEventListener' | 'removeEventListener'> = {
    addEventListener(type: string, listener: EventListener, options?: AddEventListenerOptions) {
      live.set(listener, options?.once === true);
      add(type, listener, options);
    },
    removeEventListener(type: string, listener: EventListener) {
      live.delete(listener);
      remove(type, listener);
    },
  };
  Object.assign(signal, changed);
  // What was to be called once is gone when it was.
  return () => [...live.values()].filter((isOnce) => !(isOnce && signal.aborted)).length;
}

/** A page's promise that nobody handles. */
const REJECTION = 'unhandledrejection';

const hostOf = (workers: Workers): Host => ({
  threadCount: () => workers.live.length,
  async endThread() {
    const [worker] = workers.live;
    // Nobody but its owner can end a page's worker; an error of its own ends its work as well.
    worker?.dispatchEvent(new ErrorEvent('error', { message: 'ended by the soak' }));
  },
  watchListeners,
  onUnhandled(hear) {
    const listener = (event: PromiseRejectionEvent): void => {
      event.preventDefault();
      hear(event.reason);
    };
    addEventListener(REJECTION, listener);
    return () => removeEventListener(REJECTION, listener);
  },
});

/** Runs eras until `tell`, which is told of each, answers that it is over. */
export async function soakInPage(
  { seed, backends, maxOnGpu, first, eras }: PageSoak,
  tell: (word: PageWord) => Promise<'on' | 'over'>,
): Promise<void> {
  const workers = new Workers();
  const adapter = await navigator.gpu?.requestAdapter();
  const devices =
    adapter && backends.includes('webgpu')
      ? new Devices(async () => {
          const found = await navigator.gpu.requestAdapter();
          if (found === null) throw new Error('the adapter is gone');
          return found;
        })
      : undefined;
  const counts: Partial<Record<Outcome, number>> = {};
  const names = backends.filter((name) => name !== 'webgpu' || devices !== undefined);
  const stage = {
    seed,
    names,
    host: hostOf(workers),
    devices,
    maxOnGpu,
    count: (outcome: Outcome): void => {
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    },
  };
  for (let era = first; era < first + (eras ?? Number.POSITIVE_INFINITY); era++) {
    const endOf = (): EraEnd => ({
      era,
      counts,
      threads: workers.live.length,
      buffers: devices?.buffers ?? 0,
    });
    try {
      await runEra(stage, era, () => false);
    } catch (error) {
      const { call = era * CALLS, message } = error as SoakFault;
      await tell({ fault: { call, message: `${message}` }, end: endOf() });
      return;
    }
    if ((await tell({ end: endOf(), backends: names })) === 'over') return;
  }
}
