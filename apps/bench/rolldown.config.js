/**
 * `npm run bundle:gpu`, in the project's root: the GPU's checks and benchmarks as one file; beside it, for `regret`, the worker
 * of the cpu backend, and piscina, which finds its own worker in its folder alone.
 */

import { cpSync, readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const { version } = JSON.parse(readFileSync('apps/bench/package.json', 'utf8'));
const dist = 'apps/bench/dist';

const piscina = {
  name: 'piscina beside the bundle',
  writeBundle() {
    for (const part of ['package.json', 'dist']) {
      cpSync(`node_modules/piscina/${part}`, `${dist}/node_modules/piscina/${part}`, {
        recursive: true,
      });
    }
  },
};

export default defineConfig([
  {
    input: `${dist}/gpu/main.js`,
    platform: 'node',
    external: ['webgpu', 'piscina', 'gpu.js'],
    transform: { define: { KEYSWEEP_VERSION: JSON.stringify(version) } },
    output: { file: `${dist}/keysweep-gpu.mjs`, codeSplitting: false },
    plugins: [piscina],
  },
  {
    input: 'packages/cpu/dist/pool/worker/node-worker.js',
    platform: 'node',
    external: ['piscina'],
    output: { file: `${dist}/worker/node-worker.js`, codeSplitting: false },
  },
]);
