/** Faults of packages/conformance, whose checks then see less: see tools/run-mutations.mjs. */

const SRC = 'packages/conformance/src';
const TEST = 'packages/conformance/test';

export default [
  {
    name: 'no order is looked at beyond the first column',
    file: `${SRC}/verify/faults.ts`,
    before: 'if (difference !== 0) return sign * difference < 0;',
    after: 'return sign * difference <= 0;',
    tests: [`${TEST}/verify.test.ts`, `${TEST}/self.test.ts`],
  },
  {
    name: 'a row that comes twice is taken for two',
    file: `${SRC}/verify/faults.ts`,
    before: '    return before < row;\n',
    after: '    return before <= row;\n',
    tests: [`${TEST}/verify.test.ts`],
  },
  {
    name: 'NaNs may lose their bits',
    file: `${SRC}/verify/faults.ts`,
    before: 'if (found.sort().join() === wanted.sort().join()) return undefined;',
    after: 'if (found.length === wanted.length) return undefined;',
    tests: [`${TEST}/verify.test.ts`],
  },
  {
    name: 'the keys of an input are not compared with those of the result',
    file: `${SRC}/verify/faults.ts`,
    before: 'if (sumOfBits(keys) === sumOfBits(input)) return undefined;',
    after: 'if (sumOfBits(keys) !== -1) return undefined;',
    tests: [`${TEST}/verify.test.ts`],
  },
  {
    name: 'a listener that is left on a signal is not seen',
    file: `${SRC}/conduct/interruptions.ts`,
    before: '    this.#listeners.add(listener);\n',
    after: '',
    tests: [`${TEST}/self.test.ts`],
  },
  {
    name: 'the median is the largest sample',
    file: `${SRC}/statistics.ts`,
    before: 'median: quantile(sorted, 0.5),',
    after: 'median: quantile(sorted, 1),',
    tests: [`${TEST}/statistics.test.ts`],
  },
];
