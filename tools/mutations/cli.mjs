/** Faults of apps/cli: see tools/run-mutations.mjs. */

const SRC = 'apps/cli/src';
const TEST = 'apps/cli/test';

export default [
  {
    name: 'an output is written over the old file',
    file: `${SRC}/io/output.ts`,
    before: 'const temporary = temporaryIn(dirname(target));',
    after: 'const temporary = existing === undefined ? temporaryIn(dirname(target)) : target;',
    tests: [`${TEST}/output.test.ts`],
  },
  {
    name: 'a signal leaves the temporary file',
    file: `${SRC}/io/output.ts`,
    before: 'const forgetInterrupt = onInterrupt(remove);',
    after: 'const forgetInterrupt = onInterrupt(() => {});',
    tests: [`${TEST}/output.test.ts`],
  },
  {
    name: 'a hard-linked output loses its link',
    file: `${SRC}/io/output.ts`,
    before: 'if (existing.nlink > 1) {',
    after: 'if (existing.nlink < 1) {',
    tests: [`${TEST}/output.test.ts`],
  },
  {
    name: 'what SIGKILL left behind stays',
    file: `${SRC}/io/temporary.ts`,
    before: 'if (pid === undefined || isAlive(Number(pid))) continue;',
    after: 'if (pid === undefined || isAlive(Number(pid)) || pid !== "") continue;',
    tests: [`${TEST}/output.test.ts`],
  },
  {
    name: 'an output loses its mode',
    file: `${SRC}/io/output.ts`,
    before: '  await handle.chmod(mode & 0o7777);\n',
    after: '  void mode;\n',
    tests: [`${TEST}/output.test.ts`],
  },
  {
    name: 'a short write is taken for a whole one',
    file: `${SRC}/io/output.ts`,
    before: '    done += bytesWritten;\n',
    after: '    done += bytes.length;\n    void bytesWritten;\n',
    tests: [`${TEST}/output.test.ts`],
  },
  {
    name: '--values-only takes several columns',
    file: `${SRC}/arguments.ts`,
    before: 'if (more !== undefined) throw',
    after: 'if (more === undefined && first === undefined) throw',
    tests: [`${TEST}/usage.test.ts`],
  },
  {
    name: 'a closed standard input is an empty one',
    file: `${SRC}/io/source.ts`,
    before: 'return isNull && (Number.parseInt(flags, 8) & constants.O_RDWR) !== 0;',
    after: 'return isNull && Number.parseInt(flags, 8) < 0 && constants.O_RDWR !== 0;',
    tests: [`${TEST}/raw.test.ts`],
  },
];
