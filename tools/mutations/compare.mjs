/** Faults of apps/compare: see tools/run-mutations.mjs. */

const SRC = 'apps/compare/src';
const TEST = 'apps/compare/test';

export default [
  {
    name: 'the answer counts what sort does not choose',
    file: `${SRC}/answer/answer.ts`,
    before: "if (chosen !== 'builtin') return",
    after: 'if (chosen !== undefined) return',
    tests: [`${TEST}/answer.test.ts`],
  },
  {
    name: 'the answer takes the fastest backend in place of the chosen one',
    file: `${SRC}/answer/answer.ts`,
    before: 'return line.find(({ series }) => series === chosen) ?? fastest;',
    after: 'return fastest;',
    tests: [`${TEST}/answer.test.ts`],
  },
  {
    name: 'results of a link are not checked',
    file: `${SRC}/results/checked.ts`,
    before: 'value.samples.every((sample) => sample > 0) &&',
    after: '',
    tests: [`${TEST}/answer.test.ts`],
  },
  {
    name: 'the cloud is painted from front to back',
    file: `${SRC}/cloud/scene.ts`,
    before: 'const at = STRIDE * (order[i] as number);',
    after: 'const at = STRIDE * (order[order.length - 1 - i] as number);',
    tests: [`${TEST}/cloud.test.ts`],
  },
  {
    name: 'work begins while something still moves',
    file: `${SRC}/page/stillness.ts`,
    before: 'await Promise.all(this.#moving.map((moving) => moving.rest()));',
    after: 'for (const moving of this.#moving) void moving.rest();',
    tests: [`${TEST}/cloud.test.ts`],
  },
  {
    name: 'a column in order is offered first',
    file: `${SRC}/data/choice.ts`,
    before: 'return isSorted ? 0 : new Set(sample).size;',
    after: 'return isSorted ? SAMPLE : new Set(sample).size;',
    tests: [`${TEST}/measure.test.ts`],
  },
  {
    name: 'a slower choice is not told',
    file: `${SRC}/results/points.ts`,
    before: 'return isSlower ? { chosen: own, other } : undefined;',
    after: 'return isSlower && length === 0 ? { chosen: own, other } : undefined;',
    tests: [`${TEST}/results.test.ts`],
  },
  {
    name: 'the time left forgets the pace',
    file: `${SRC}/run/progress-estimate.ts`,
    before: 'const pace = (now - this.#begun + TRUST) / (done + TRUST);',
    after: 'const pace = 1 + 0 * (now - this.#begun + TRUST);',
    tests: [`${TEST}/measure.test.ts`],
  },
];
