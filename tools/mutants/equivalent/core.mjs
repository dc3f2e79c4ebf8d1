/** Of packages/core: see ../equivalent.mjs. */
export default [
  {
    file: 'packages/core/src/merge.ts',
    code: 'return a < b;',
    before: 'a < b',
    after: 'a <= b',
    why: 'two runs never have the same number',
  },
  {
    file: 'packages/core/src/request/request-lifecycle.ts',
    code: "signal?.addEventListener('abort', undo, { once: true });",
    before: '{ once: true }',
    after: '{}',
    why: 'the listener is removed when the request ends, and an abort comes once',
  },
  {
    file: 'packages/core/src/request/timers.ts',
    code: 'timer?.unref?.();',
    before: 'timer?.unref',
    after: 'timer.unref',
    why: 'only pages have timers without the method, and tests here run in Node',
  },
  {
    file: 'packages/core/src/request/next-task.ts',
    code: 'if (setImmediate) setImmediate(resolve);',
    before: 'setImmediate',
    after: 'false',
    why: 'the next turn comes by a message then: results are alike',
  },
  {
    file: 'packages/core/src/request/request-lifecycle.ts',
    code: "signal?.addEventListener('abort', undo, { once: true });",
    before: 'true',
    after: 'false',
    why: 'an abort comes once, and the listener is removed when the request ends',
  },
];
