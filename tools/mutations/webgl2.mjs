/** Faults of packages/webgl2: see tools/run-mutations.mjs. */

const SRC = 'packages/webgl2/src';
const TEST = 'packages/webgl2/test';

export default [
  {
    name: 'the network leaves out the last step of each stage',
    file: `${SRC}/network/plan.ts`,
    before: 'for (let bit = stage - 1; bit >= channelBits; bit--) due.push(bit);',
    after: 'for (let bit = stage - 1; bit > channelBits; bit--) due.push(bit);',
    tests: [`${TEST}/network.test.ts`],
  },
  {
    name: 'elements are inverted by the bit of the wrong stage',
    file: `${SRC}/network/plan.ts`,
    before: 'stage === bits ? [] : [stage, stage + 1];',
    after: 'stage === bits ? [] : [stage + 1];',
    tests: [`${TEST}/network.test.ts`],
  },
  {
    name: 'a fragment takes more passes than it needs',
    file: `${SRC}/network/plan.ts`,
    before: 'const next = due.slice(done, done + slotBits);',
    after: 'const next = due.slice(done, done + 1);',
    tests: [`${TEST}/network.test.ts`],
  },
  {
    name: 'memory that is kept serves two requests',
    file: `${SRC}/words.ts`,
    before: '    const kept = this.#kept;\n    this.#kept = undefined;\n',
    after: '    const kept = this.#kept;\n',
    tests: [`${TEST}/words.test.ts`],
  },
  {
    name: 'narrow keys come back from the wrong half of a word',
    file: `${SRC}/words.ts`,
    before: 'bits[i] = (words[i] as number) >>> shift;',
    after: 'bits[i] = (words[i] as number) >>> (0 * shift);',
    tests: [`${TEST}/words.test.ts`],
  },
  {
    name: 'in WebGL2 equal keys lose their order',
    file: `${SRC}/request.ts`,
    before: "const order = keyOrder('u32', 'ascending', undefined, false);",
    after: "const order = keyOrder('u32', 'descending', undefined, false);",
    tests: [`${TEST}/conformance.browser.test.ts`],
  },
];
