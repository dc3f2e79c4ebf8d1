/** Faults of packages/core: see tools/run-mutations.mjs. */

const SRC = 'packages/core/src';
const TEST = 'packages/core/test';

export default [
  {
    name: 'a NaN with payload in its low word alone ranks as an infinity',
    file: `${SRC}/keys/order-words.ts`,
    before: 'high > mostHigh || (high === mostHigh && low > mostLow)',
    after: 'high > mostHigh',
    tests: [`${TEST}/order-words.test.ts`],
  },
  {
    name: 'the borrow between the halves of a 64-bit word is forgotten',
    file: `${SRC}/keys/order-words.ts`,
    before: '- biasHigh - borrow)',
    after: '- biasHigh - 0 * borrow)',
    tests: [`${TEST}/order-words.test.ts`],
  },
  {
    name: 'negative floats keep their bits',
    file: `${SRC}/keys/transform.ts`,
    before: 'return { negative: all, positive: sign, bias,',
    after: 'return { negative: sign, positive: sign, bias,',
    tests: [`${TEST}/transform.test.ts`],
  },
  {
    name: 'the ceiling is +Infinity itself',
    file: `${SRC}/keys/transform.ts`,
    before: '(infinity | sign) - bias + 1n',
    after: '(infinity | sign) - bias',
    tests: [`${TEST}/transform.test.ts`],
  },
  {
    name: 'the range limiter forgets the highest bit of a range',
    file: `${SRC}/keys/range.ts`,
    before: 'end: bitLength(maximum - minimum) }',
    after: 'end: bitLength((maximum - minimum) >> 1n) }',
    tests: [`${TEST}/range.test.ts`],
  },
  {
    name: 'digits leave out the last bit',
    file: `${SRC}/keys/range.ts`,
    before: 'const width = Math.ceil((end - shift) / left);',
    after: 'const width = Math.floor((end - shift) / left);',
    tests: [`${TEST}/range.test.ts`],
  },
  {
    name: 'ties of a merge go to the later run',
    file: `${SRC}/merge.ts`,
    before: 'return a < b;',
    after: 'return a > b;',
    tests: [`${TEST}/merge.test.ts`],
  },
  {
    name: 'one result is written before the next array is checked',
    file: `${SRC}/request/commit.ts`,
    before: 'of results) assertUnchanged(name, target, length);',
    after: 'of results.slice(0, 1)) assertUnchanged(name, target, length);',
    tests: [`${TEST}/commit.test.ts`],
  },
  {
    name: 'the dispatcher is not told that results are being written',
    file: `${SRC}/request/commit.ts`,
    before: '  onCommit?.();\n',
    after: '  void onCommit;\n',
    tests: [`${TEST}/commit.test.ts`],
  },
  {
    name: 'a short request passes a long one as often as it likes',
    file: `${SRC}/request/request-queue.ts`,
    before: '      before.passable -= length;\n',
    after: '',
    tests: [`${TEST}/request-queue.test.ts`],
  },
  {
    name: 'a request passes one that is hardly longer',
    file: `${SRC}/request/request-queue.ts`,
    before: 'before.length < 2 * length ||',
    after: 'before.length < length ||',
    tests: [`${TEST}/request-queue.test.ts`],
  },
  {
    name: "a listener stays on the caller's signal when work is done",
    file: `${SRC}/request/interruption.ts`,
    before: "    signal.removeEventListener('abort', onAbort);\n",
    after: '    void onAbort;\n',
    tests: ['packages/cpu/test/conformance.test.ts'],
  },
  {
    name: 'work that was aborted while it began rejects unheard',
    file: `${SRC}/request/interruption.ts`,
    before: '    work.catch(() => {});\n',
    after: '',
    tests: [`${TEST}/request-lifecycle.test.ts`],
  },
  {
    name: 'an abort is not looked for between phases',
    file: `${SRC}/request/interruption.ts`,
    before: '  if (signal?.aborted) throw signal.reason;\n  for (const column',
    after: '  void signal;\n  for (const column',
    tests: ['packages/cpu/test/conformance.test.ts', 'packages/cpu/test/divide.test.ts'],
  },
  {
    name: 'a subclass of typed arrays is not known by what it extends',
    file: `${SRC}/elements.ts`,
    before: 'const tag = typedArrayName(value);',
    after: 'const tag = typedArrayName(value) && (value as object).constructor.name;',
    tests: [`${TEST}/elements.test.ts`],
  },
  {
    name: 'copies begin again at the first slice',
    file: `${SRC}/request/slices.ts`,
    before: ', at + from);',
    after: ', at);',
    tests: [`${TEST}/slices.test.ts`],
  },
];
