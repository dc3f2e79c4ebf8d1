import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { chromium, WEBGPU_ARGS } from './tools/chromium.js';
import CountsReporter from './tools/counts-reporter.js';
import { SHARED } from './tools/functions.js';
import LongFirst from './tools/long-first.js';
import { LEFT_OUT } from './tools/platform.mjs';

// One seed a run, for all processes and pages: with it the run can be repeated.
process.env.KEYSWEEP_SEED ??= `${Math.floor(Math.random() * 2 ** 32)}`;
if (process.argv.includes('--mode=thorough')) process.env.KEYSWEEP_THOROUGH = '1';
const { npm_lifecycle_event: script, KEYSWEEP_THOROUGH, KEYSWEEP_SEED } = process.env;
const isNamed = process.argv.slice(3).some((argument) => !argument.startsWith('-'));
/** `npm test` is short: tools/functions.ts, tools/drawn-files.ts and tools/test/draw-tests.ts. */
const isOfAll = script === 'test' && !isNamed;
const isBrief = isOfAll && KEYSWEEP_THOROUGH !== '1';
if (isBrief) process.env.KEYSWEEP_BRIEF = '1';

/** What pages are given of the environment: they have none of their own. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^KEYSWEEP_(SEED|THOROUGH|BRIEF)$/.test(name)),
);

const outputs = ['**/node_modules/**', '**/dist/**', '**/generated/**'];
/** Imported only here, because it needs what is built. */
const notDrawn = isBrief
  ? (await import('./tools/drawn-files.js')).filesNotDrawn(Number(KEYSWEEP_SEED))
  : [];
const skipped = [...LEFT_OUT, ...notDrawn];
const leftOut = skipped.flatMap(({ files }) => files);

/** No test waits in vain for so long: it is for machines that are slow, or busy. */
const testTimeout = 600_000;
const limits = {
  testTimeout,
  hookTimeout: testTimeout,
  // Vitest gives up after a second, in which a busy machine may not have opened a file.
  expect: { poll: { timeout: testTimeout / 10 } },
};

/**
 * For glibc: keep memory that was freed. A software GPU takes it and gives it back for each shader,
 * and the system clears the pages each time.
 */
const MALLOC = { MALLOC_TRIM_THRESHOLD_: `${2 ** 30}`, MALLOC_TOP_PAD_: `${2 ** 26}` };

/** Tests of kernels that no other test compiles: they gain nothing by a process that lives on. */
const OF_STAGES = ['packages/webgpu/test/*stages.test.ts', 'apps/*/test/gpu/*.test.ts'];

const setupFiles = ['tools/fast-equality.ts'];

/**
 * What is built, which Node loads faster than Vitest, who reads each file anew for each test file.
 * A watch has to see these files change.
 */
const built = process.argv.includes('run')
  ? [/\/(packages|apps)\/[^/]+\/dist\//, /\/kernels\/dist\//]
  : [];

export default defineConfig({
  test: {
    reporters: ['default', new CountsReporter(skipped)],
    sequence: { sequencer: LongFirst },
    // Sorts run on several threads themselves: more files at once would only disturb each other.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'shared',
          // Each more loads all modules once more, and fewer would wait for child processes.
          maxWorkers: 3,
          server: { deps: { external: built } },
          include: isOfAll ? SHARED : [],
          exclude: [...outputs, ...leftOut],
          ...limits,
          setupFiles,
          isolate: false,
        },
      },
      {
        test: {
          name: 'node',
          // Three of five files wait for browsers, processes or timers at any time.
          maxWorkers: 5,
          server: { deps: { external: built } },
          include: [
            'packages/*/test/**/*.test.ts',
            'apps/*/test/**/*.test.ts',
            'examples/*/test/*.test.ts',
            'kernels/test/*.test.ts',
            'tools/test/*.test.ts',
          ],
          exclude: [
            ...outputs,
            ...leftOut,
            ...(isOfAll ? SHARED : []),
            '**/*.browser.test.ts',
            '**/*.everywhere.test.ts',
            'packages/webgpu/test/!(*stages).test.ts',
            'apps/everywhere/consumers/**',
          ],
          ...limits,
          setupFiles,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // The packed packages by every tool of their users, which it installs.
        test: {
          name: 'everywhere',
          include: ['apps/*/test/*.everywhere.test.ts'],
          ...limits,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'gpu',
          include: ['packages/webgpu/test/**/*.test.ts'],
          exclude: [...outputs, ...leftOut, ...OF_STAGES, '**/*.browser.test.ts'],
          ...limits,
          setupFiles,
          // What the software GPU has compiled for one file serves the next ones of its process. It
          // compiles on one thread, and pages leave the other core idle for half of the time.
          isolate: false,
          maxWorkers: 2,
          env: MALLOC,
          sequence: { groupOrder: 2 },
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
          exclude: [...outputs, ...leftOut],
          ...limits,
          setupFiles,
          env,
          // Beside the software GPU, in whose group all have the same number of workers.
          sequence: { groupOrder: 2 },
          maxWorkers: 2,
          browser: {
            enabled: true,
            headless: true,
            // One page at a time: some tests crash the browser's GPU process.
            fileParallelism: false,
            ui: false,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                ...chromium(),
                args: [
                  ...WEBGPU_ARGS,
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
