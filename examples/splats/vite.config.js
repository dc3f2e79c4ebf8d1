import { defineConfig } from 'vite';

// With these headers the page may share memory with its workers: keysweep then uses all CPU cores.
const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export default defineConfig({ server: { headers } });
