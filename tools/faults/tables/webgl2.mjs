/** Faults of packages/webgl2: see tools/faults/main.mjs. */

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
    name: 'in WebGL2 equal keys lose their order',
    file: `${SRC}/request.ts`,
    before: "order: keyOrder('u32', 'ascending', wanted) });",
    after: "order: keyOrder('u32', 'descending', wanted) });",
    tests: [`${TEST}/conformance.browser.test.ts`],
  },
];
