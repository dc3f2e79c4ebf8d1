/** Faults that show only in another engine, realm or process: see tools/run-mutations.mjs. */

const KEYSWEEP = 'packages/keysweep';

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
    before: 'const words = BYTES_PER_ELEMENT / bits.BYTES_PER_ELEMENT;',
    after: 'const words = 1;',
    tests: [`${KEYSWEEP}/test/nan-bits.test.ts`],
  },
];
