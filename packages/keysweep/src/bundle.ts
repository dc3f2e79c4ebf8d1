/**
 * keysweep/bundle: all of keysweep in one file, dist/keysweep.min.js, for pages without a bundler
 * or an import map and for React Native.
 *
 * ```html
 * <script type="module">
 *   import { sort, sortSync } from 'https://cdn.jsdelivr.net/npm/keysweep/dist/keysweep.min.js';
 * </script>
 * ```
 *
 * It has the functions of `keysweep` and of `keysweep/sync`, kernels, workers and WebGPU. Only
 * WebGL2 is left out, because it needs gpu.js. The file may come from any origin, because its
 * workers are started from a text in it. Importing it starts nothing.
 */

export * from './index.js';
export * from './sync.js';
