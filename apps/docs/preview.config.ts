/** Serves the built site. */

import { defineConfig, type UserConfig } from 'vite';

/** What a page needs to share memory with its workers. */
export const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const config: UserConfig = defineConfig({ appType: 'mpa', preview: { headers: ISOLATION } });

export default config;
