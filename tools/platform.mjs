/** What this platform's tests leave out, and why: see platform.d.mts. */

const { arch, platform } = process;

/** See platform.d.mts. */
export const HAS_CHROMIUM_PACKAGE = platform === 'linux' && arch === 'x64';

/** See platform.d.mts. */
export const LEFT_OUT = [
  {
    applies: !HAS_CHROMIUM_PACKAGE,
    files: ['packages/webgpu/test/**', 'apps/*/test/gpu/**', 'apps/bench/test/gpu*.test.ts'],
    reason: 'the software GPU comes with a Chromium for Linux on x64',
  },
  {
    applies: platform === 'win32',
    files: ['apps/cli/test/{interrupted,output,progress,raw,usage}.test.ts'],
    reason: 'they use bash, named pipes and signals',
  },
].filter(({ applies }) => applies);
