/** The worker that the page makes by itself, of what @keysweep/cpu exports for it. */

import '@keysweep/cpu/worker';
