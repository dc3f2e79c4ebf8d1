/** A software adapter or renderer that 'auto' takes for a GPU. */

import type { Backend } from 'keysweep';

/** `backend` itself, whose probe calls nothing software from now on. */
export function hardware(backend: Backend): Backend {
  const probe = backend.probe.bind(backend);
  backend.probe = async () => {
    const found = await probe();
    if (!found.available) return found;
    return { ...found, capabilities: { ...found.capabilities, software: false } };
  };
  return backend;
}
