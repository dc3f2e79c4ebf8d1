/** `npm run bundle:gpu`, in the project's root: the GPU's checks and benchmarks as one file. */

import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const { version } = JSON.parse(readFileSync('apps/bench/package.json', 'utf8'));

export default defineConfig({
  input: 'apps/bench/dist/gpu/main.js',
  platform: 'node',
  external: ['webgpu'],
  transform: { define: { KEYSWEEP_VERSION: JSON.stringify(version) } },
  output: { file: 'apps/bench/dist/keysweep-gpu.mjs', codeSplitting: false },
});
