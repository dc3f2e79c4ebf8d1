/** The machine under Node.js. */

import { availableParallelism, freemem } from 'node:os';
import type { Machine } from './machine.js';

/** Looks at the machine. */
export function thisMachine(): Machine {
  return {
    runtime: `Node.js ${process.versions.node}`,
    isNode: true,
    cores: availableParallelism(),
    sharesMemory: true,
    // Knows of a container's limit, which freemem() does not.
    freeBytes: () => process.availableMemory?.() ?? freemem(),
  };
}
