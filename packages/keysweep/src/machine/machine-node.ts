/** The machine under Node.js, Bun and Deno. */

import { availableParallelism, freemem } from 'node:os';
import type { Machine } from './machine.js';
import { thisRuntime } from './runtime.js';

/** Looks at the machine. */
export function thisMachine(): Machine {
  return {
    ...thisRuntime(),
    isNode: true,
    cores: availableParallelism(),
    sharesMemory: typeof SharedArrayBuffer !== 'undefined',
    // Knows of a container's limit, which freemem() does not.
    freeBytes: () => process.availableMemory?.() ?? freemem(),
  };
}
