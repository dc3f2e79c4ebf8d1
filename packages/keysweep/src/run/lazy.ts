/** Backends whose code is loaded when it is first needed. */

import { type Backend, type BackendName, ClosedError, type Probe } from '@keysweep/core';
import type { Renewable } from './backend-state.js';

/**
 * A backend whose code is loaded when it is first probed or used. Until then it has no limit of
 * length, which does no harm, because the planner probes a backend before it relies on limits.
 */
export function lazy(name: BackendName, load: () => Promise<Backend>): Renewable {
  let loading: Promise<Backend> | undefined;
  let loaded: Backend | undefined;
  let closed = false;
  const get = async (): Promise<Backend> => {
    if (closed) throw new ClosedError(`the ${name} backend`);
    loading ??= load();
    const current = loading;
    let backend: Backend;
    try {
      backend = await current;
    } catch (error) {
      // The next use tries again, because a network that was down may be back.
      if (loading === current) loading = undefined;
      throw error;
    }
    // Renewed while it was being loaded: this one is being closed.
    if (loading !== current) return get();
    loaded = backend;
    // Closed while it was being loaded: close() waits for this, too.
    if (closed) await backend.close();
    return backend;
  };
  return {
    name,
    probe: async (): Promise<Probe> => {
      try {
        return await (await get()).probe();
      } catch (error) {
        const reason = `its code could not be loaded: ${String(error)}`;
        return { available: false, reason, cause: error };
      }
    },
    maxLength: (shape) => loaded?.maxLength(shape) ?? Number.POSITIVE_INFINITY,
    sort: async (request) => (await get()).sort(request),
    warmUp: async (maxLength) => (await get()).warmUp(maxLength),
    // A backend that was not loaded holds nothing.
    release: async () => (await loading?.catch(() => undefined))?.release(),
    close: async () => {
      closed = true;
      await (await loading?.catch(() => undefined))?.close();
    },
    renew() {
      const old = loading;
      loading = undefined;
      loaded = undefined;
      // It hangs and may never end, so nothing waits for it.
      old?.then((backend) => backend.close()).catch(() => {});
    },
  };
}
