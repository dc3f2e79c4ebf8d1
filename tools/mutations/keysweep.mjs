/** Faults of packages/keysweep: see tools/run-mutations.mjs. */

const SRC = 'packages/keysweep/src';
const TEST = 'packages/keysweep/test';

export default [
  {
    name: 'two readers of one array wait for each other',
    file: `${SRC}/request/memory-locks.ts`,
    before: ' && (a.isWritten || b.isWritten);',
    after: ';',
    tests: [`${TEST}/memory-locks.test.ts`],
  },
  {
    name: 'a call does not wait for one that begins before it',
    file: `${SRC}/request/memory-locks.ts`,
    before: 'a.begin < b.end && b.begin < a.end',
    after: 'a.begin <= b.begin && b.begin < a.end',
    tests: [`${TEST}/memory-locks.test.ts`],
  },
  {
    name: 'calls on neighbouring ranges wait for each other',
    file: `${SRC}/request/memory-locks.ts`,
    before: 'a.begin < b.end && b.begin < a.end',
    after: 'a.begin <= b.end && b.begin <= a.end',
    tests: [`${TEST}/memory-locks.test.ts`],
  },
  {
    name: 'values are locked as if they were only read',
    file: `${SRC}/request/memory-locks.ts`,
    before: '    ...range(values, isWritten),\n',
    after: '    ...range(values, false),\n',
    tests: [`${TEST}/memory-locks.test.ts`],
  },
  {
    name: 'a lock stays when its call fails',
    file: `${SRC}/request/memory-locks.ts`,
    before: `    return await work();
  } finally {
    release();
  }`,
    after: `    const result = await work();
    release();
    return result;
  } finally {
  }`,
    tests: [`${TEST}/memory-locks.test.ts`],
  },
  {
    name: 'few keys do not wait for the call that sorts their buffer',
    file: `${SRC}/index.ts`,
    before: '|| !isUnlocked(',
    after: '|| 0 > +isUnlocked(',
    tests: [`${TEST}/dispatch.test.ts`],
  },
  {
    name: 'a backend that failed does not rest',
    file: `${SRC}/run/backend-state.ts`,
    before: 'return this.#failures === 0 ? 0 :',
    after: 'return this.#failures >= 0 ? 0 :',
    tests: [`${TEST}/dispatch.test.ts`],
  },
  {
    name: 'a start never pays',
    file: `${SRC}/run/backend-state.ts`,
    before: 'if (!this.#isWarm && milliseconds > 0) this.#missed += milliseconds;',
    after: 'if (!this.#isWarm && milliseconds > 0) this.#missed = milliseconds;',
    tests: [`${TEST}/dispatch.test.ts`],
  },
  {
    name: 'a backend that hangs keeps its signal',
    file: `${SRC}/run/backend-state.ts`,
    before: '        linked.abort(error);\n',
    after: '',
    tests: [`${TEST}/time-out.test.ts`],
  },
  {
    name: 'progress is no sign of life',
    file: `${SRC}/run/backend-state.ts`,
    before: '            this.#signsOfLife++;\n            onProgress(progress);',
    after: '            onProgress(progress);',
    tests: [`${TEST}/time-out.test.ts`],
  },
  {
    name: 'a backend that writes its result is given up',
    file: `${SRC}/run/backend-state.ts`,
    before: '          isCommitting = true;\n',
    after: '          isCommitting = false;\n',
    tests: [`${TEST}/time-out.test.ts`],
  },
  {
    name: "the dispatcher's listener stays on the caller's signal",
    file: `${SRC}/run/time-out.ts`,
    before: "    this.#caller?.removeEventListener('abort', this.#onCallerAbort);\n",
    after: '',
    tests: [`${TEST}/calls.test.ts`],
  },
  {
    name: 'a sort that is done leaves its time-out running',
    file: `${SRC}/run/time-out.ts`,
    before: `      (value) => {
        clearInterval(timer);
        resolve(value);`,
    after: `      (value) => {
        resolve(value);`,
    tests: [`${TEST}/time-out.test.ts`],
  },
  {
    name: "what a caller's callback throws counts as a failure of the backend",
    file: `${SRC}/run/dispatcher.ts`,
    before: 'if (this.#isClosed || hasCallbackThrown() || isCausedByCaller(error, request))',
    after:
      'if (this.#isClosed || (hasCallbackThrown() && i < 0) || isCausedByCaller(error, request))',
    tests: [`${TEST}/dispatch.test.ts`],
  },
  {
    name: 'a report has no fallbacks',
    file: `${SRC}/run/dispatcher.ts`,
    before: '        fallbacks.push({ backend: step.backend, error: error as Error });\n',
    after: '',
    tests: [`${TEST}/dispatch.test.ts`],
  },
  {
    name: 'a warning is said as often as it comes',
    file: `${SRC}/run/dispatcher.ts`,
    before: '    if (this.#codes.has(warning.code)) return false;\n',
    after: '',
    tests: [`${TEST}/warnings.test.ts`],
  },
  {
    name: 'an error of onWarning ends the sort',
    file: `${SRC}/run/dispatcher.ts`,
    before: "      console.error('keysweep: onWarning has thrown', error);",
    after: '      throw error;',
    tests: [`${TEST}/warnings.test.ts`],
  },
  {
    name: 'a closed sorter serves few keys',
    file: `${SRC}/run/dispatcher.ts`,
    before: 'return !this.#isClosed && this.planner.isForBuiltin(shape);',
    after: 'return this.planner.isForBuiltin(shape);',
    tests: [`${TEST}/dispatch.test.ts`, `${TEST}/calls.test.ts`],
  },
  {
    name: 'a plan prefers the slowest backend',
    file: `${SRC}/plan/plan.ts`,
    before: 'steps.sort((a, b) => a.milliseconds - b.milliseconds);',
    after: 'steps.sort((a, b) => b.milliseconds - a.milliseconds);',
    tests: [`${TEST}/dispatch.test.ts`],
  },
  {
    name: 'a software GPU counts as one',
    file: `${SRC}/plan/plan.ts`,
    before: '(allowSoftware ? undefined : softwareOnly(candidate))',
    after: '(allowSoftware || backend !== undefined ? undefined : softwareOnly(candidate))',
    tests: [`${TEST}/dispatch.test.ts`],
  },
  {
    name: 'memory that a backend holds is asked for again',
    file: `${SRC}/plan/plan.ts`,
    before: 'const bytes = bytesFor(backend.name, shape) - heldBytes;',
    after: 'const bytes = bytesFor(backend.name, shape) - 0 * heldBytes;',
    tests: [`${TEST}/profile.test.ts`],
  },
  {
    name: 'a profile of another number of cores is believed',
    file: `${SRC}/plan/profile.ts`,
    before: "    cores: 'cores',\n",
    after: '',
    tests: [`${TEST}/profile.test.ts`],
  },
  {
    name: 'a profile of another sharing of memory is believed',
    file: `${SRC}/plan/profile.ts`,
    before: "    sharesMemory: 'sharing',\n",
    after: '',
    tests: [`${TEST}/profile.test.ts`],
  },
  {
    name: 'a profile of another engine is believed',
    file: `${SRC}/plan/profile.ts`,
    before: "    engine: 'engine',\n",
    after: '',
    tests: [`${TEST}/profile.test.ts`],
  },
  {
    name: 'measured times are not interpolated',
    file: `${SRC}/plan/cost.ts`,
    before: 'return before[1] + (next[1] - before[1]) * share;',
    after: 'return before[1] + 0 * (next[1] - before[1]) * share;',
    tests: [`${TEST}/profile.test.ts`],
  },
  {
    name: 'segments cost what the whole array costs',
    file: `${SRC}/plan/cost.ts`,
    before: 'Math.log2(Math.max(1, length / segmentCount))',
    after: 'Math.log2(Math.max(1, length / (segmentCount ** 0)))',
    tests: [`${TEST}/profile.test.ts`],
  },
  {
    name: 'segments may descend',
    file: `${SRC}/request/check.ts`,
    before: 'if (start >= before && start <= length) continue;',
    after: 'if ((start >= before || i > 0) && start <= length) continue;',
    tests: [`${TEST}/arguments.test.ts`],
  },
  {
    name: "segments are the caller's own array",
    file: `${SRC}/request/check.ts`,
    before: 'const segments = new Uint32Array(given as Uint32Array);',
    after: 'const segments = given as Uint32Array;',
    tests: [`${TEST}/arguments.test.ts`],
  },
  {
    name: 'keys and values may overlap',
    file: `${SRC}/request/check.ts`,
    before: '  if (overlaps(values, keys)) {',
    after: '  if (values === keys) {',
    tests: [`${TEST}/arguments.test.ts`],
  },
  {
    name: 'a row number that is too large is taken',
    file: `${SRC}/request/rows.ts`,
    before: 'indices.findIndex((index) => index >= length)',
    after: 'indices.findIndex((index) => index > length)',
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: 'the built-in backend turns ties of a descending order',
    file: `${SRC}/run/builtin.ts`,
    before: 'if (c !== 0) return c * sign;\n    }\n    return 0;',
    after: 'if (c !== 0) return c * sign;\n    }\n    return sign < 0 ? j - i : 0;',
    tests: [`${TEST}/builtin.test.ts`],
  },
  {
    name: 'the built-in backend takes +0 and −0 for equal',
    file: `${SRC}/run/builtin.ts`,
    before: 'return a === 0 ? Number(Object.is(b, -0)) - Number(Object.is(a, -0)) : 0;',
    after: 'return 0;',
    tests: [`${TEST}/builtin.test.ts`],
  },
  {
    name: 'a synchronous sort does not look for calls on its memory',
    file: `${SRC}/sync.ts`,
    before: '  assertUnlocked(call);\n',
    after: '  void assertUnlocked;\n',
    tests: [`${TEST}/sync.test.ts`],
  },
];
