import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { chromium } from './tools/chromium.js';
import CountsReporter from './tools/counts-reporter.js';

/** What pages are given of the environment: they have none of their own. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^KEYSWEEP_(SEED|THOROUGH)$/.test(name)),
);

const outputs = ['**/node_modules/**', '**/dist/**', '**/generated/**'];

export default defineConfig({
  test: {
    reporters: ['default', new CountsReporter()],
    // Sorts run on several threads themselves: more files at once would only disturb each other.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'node',
          include: [
            'packages/*/test/**/*.test.ts',
            'apps/*/test/**/*.test.ts',
            'kernels/**/*.test.ts',
          ],
          exclude: [...outputs, '**/*.browser.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        // SharedArrayBuffer exists only in pages that are isolated from other origins.
        server: {
          headers: {
            'Cross-Origin-Opener-Policy': 'same-origin',
            'Cross-Origin-Embedder-Policy': 'require-corp',
          },
        },
        test: {
          name: 'browser',
          include: ['packages/*/test/**/*.browser.test.ts'],
          exclude: outputs,
          testTimeout: 60_000,
          fileParallelism: false,
          env,
          sequence: { groupOrder: 1 },
          browser: {
            enabled: true,
            headless: true,
            ui: false,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                ...chromium(),
                args: [
                  '--enable-unsafe-webgpu',
                  '--enable-unsafe-swiftshader',
                  // A page whose GPU process a test has crashed gets a new one, time and again.
                  '--disable-domain-blocking-for-3d-apis',
                  '--disable-gpu-process-crash-limit',
                ],
              },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
