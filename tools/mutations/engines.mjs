/** Faults that show only in another engine, realm or process: see tools/run-mutations.mjs. */

const KEYSWEEP = 'packages/keysweep';
const EXTERNAL = 'packages/external';
const WEBGPU = 'packages/webgpu';

export default [
  {
    package: 'keysweep',
    name: 'no engine is tried for what its sort does with NaNs',
    file: `${KEYSWEEP}/src/run/nan-bits.ts`,
    before: 'losesBits ??= tryOwnSort();',
    after: 'losesBits ??= false;',
    tests: [`${KEYSWEEP}/test/nan-bits.test.ts`],
  },
  {
    package: 'keysweep',
    name: 'a NaN of 64 bits that is moved takes half of its bits along',
    file: `${KEYSWEEP}/src/run/nan-bits.ts`,
    before: 'const words = bits.length / floats.length;',
    after: 'const words = 1;',
    tests: [`${KEYSWEEP}/test/nan-bits.test.ts`],
  },
  {
    package: 'keysweep',
    name: 'the machine of a page has a navigator',
    file: `${KEYSWEEP}/src/machine/machine-page.ts`,
    before: '(globalThis.navigator ?? {}) as',
    after: 'navigator as',
    tests: [`${KEYSWEEP}/test/realms.test.ts`],
  },
  {
    package: 'core',
    name: 'every realm has a clock of performance',
    file: 'packages/core/src/request/time.ts',
    before: '(globals.performance ?? Date).now()',
    after: '(globals.performance as typeof Date).now()',
    tests: [`${KEYSWEEP}/test/realms.test.ts`],
  },
  {
    package: 'cpu',
    name: 'every realm has URLs',
    file: 'packages/cpu/src/options.ts',
    before: "(typeof URL !== 'undefined' && workerUrl instanceof URL)",
    after: '(workerUrl instanceof URL)',
    tests: [`${KEYSWEEP}/test/realms.test.ts`],
  },
  {
    package: 'external',
    name: 'threads that divide take over the flags of the process',
    file: `${EXTERNAL}/src/run/threads/divide.ts`,
    before: 'new Worker(PROGRAM, { execArgv: [] })',
    after: 'new Worker(PROGRAM)',
    tests: [`${EXTERNAL}/test/flags.test.ts`],
  },
  {
    package: 'external',
    name: 'processes take over the flag that says what a text is',
    file: `${EXTERNAL}/src/run/processes/flags.ts`,
    // Not the code itself: each process would run the program that starts the next.
    before: '|run|input-type|',
    after: '|run|',
    tests: [`${EXTERNAL}/test/flags.test.ts`],
  },
  {
    package: 'webgpu',
    name: 'drivers that compute on the CPU count as those of GPUs',
    file: `${WEBGPU}/src/device/vulkan.ts`,
    before: '!SOFTWARE.test(name)',
    after: "!SOFTWARE.test('')",
    tests: [`${WEBGPU}/test/vulkan.test.ts`],
  },
  {
    package: 'webgpu',
    name: 'a machine without a device file is asked for its GPU',
    file: `${WEBGPU}/src/device/vulkan.ts`,
    before: 'if (gpus.length === 0)',
    after: 'if (gpus.length < 0)',
    tests: [`${WEBGPU}/test/vulkan.test.ts`],
  },
  {
    package: 'webgpu',
    name: 'the environment stays as it was set for the drivers',
    file: `${WEBGPU}/src/device/vulkan.ts`,
    before: 'delete env[name];',
    after: 'env[name] = set[name];',
    tests: [`${WEBGPU}/test/vulkan.test.ts`],
  },
];
