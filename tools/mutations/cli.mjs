/** Faults of apps/cli: see tools/run-mutations.mjs. */

const SRC = 'apps/cli/src';
const TEST = 'apps/cli/test';

export default [
  {
    name: 'a stream is held in memory until the process is killed',
    file: `${SRC}/io/source.ts`,
    before: 'if (size > most) {',
    after: 'if (size < 0) {',
    tests: [`${TEST}/raw.test.ts`],
  },
  {
    name: 'a signal leaves the temporary files of a sort by files',
    file: `${SRC}/commands/sort-file.ts`,
    before: 'onInterrupt(removeTemporaries)',
    after: 'onInterrupt(() => void removeTemporaries)',
    tests: [`${TEST}/large.test.ts`],
  },
  {
    name: 'what does not fit is sorted in memory',
    file: `${SRC}/too-large.ts`,
    before: 'return size * TIMES > (memory ?? freemem() / 2);',
    after: 'return size * TIMES > freemem();',
    tests: [`${TEST}/large.test.ts`],
  },
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
    name: 'a short write is taken for a whole one',
    file: `${SRC}/io/output.ts`,
    before: '    done += bytesWritten;\n',
    after: '    done += bytes.length;\n    void bytesWritten;\n',
    tests: [`${TEST}/output.test.ts`],
  },
  {
    name: '--values-only takes several columns',
    file: `${SRC}/arguments/sort.ts`,
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
  {
    name: 'a descending key of records is ascending',
    file: 'packages/files/src/records.ts',
    before: "flip: key.order === 'descending' ? 0xff : 0,",
    after: "flip: key.order === 'descending' ? 0 : 0,",
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: 'the last bytes of a key do not count',
    file: 'packages/files/src/records.ts',
    before: '    words[2 * i] = wordOf(i, low, parts.length);',
    after: '    words[2 * i] = wordOf(i, low, parts.length - 1);',
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: '--check looks at every other row',
    file: `${SRC}/job/misplaced.ts`,
    before: 'for (let row = from; row < to; row++) {',
    after: 'for (let row = from; row < to; row += 2) {',
    tests: [`${TEST}/misplaced.test.ts`],
  },
  {
    name: 'text is sorted as numbers',
    file: `${SRC}/job/text.ts`,
    before: "if (text.includes('\\n') && !isBinary.test(text)) throw textError(name);",
    after: "if (text.includes('\\r') && !isBinary.test(text)) throw textError(name);",
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: 'the place of nulls is not heard',
    file: `${SRC}/specs.ts`,
    before: "nulls: nulls ?? 'last' };",
    after: "nulls: 'last' };",
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: '--head writes one row too many',
    file: `${SRC}/job/worker.ts`,
    before: '(await sorter.argsort(rows.columns, { ...own, onReport })).subarray(0, head);',
    after: '(await sorter.argsort(rows.columns, own)).subarray(0, head && head + 1);',
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: 'the result is copied to the main thread, and not moved',
    file: `${SRC}/job/worker.ts`,
    before: 'send({ kind, bytes }, [bytes.buffer]);',
    after: 'send({ kind, bytes }, [bytes.buffer].slice(1));',
    tests: [`${TEST}/peak-memory.test.ts`],
  },
  {
    name: 'raw bytes get the name of a table',
    file: `${SRC}/formats.ts`,
    before: 'if (named === undefined || named === format) return;',
    after: "if (named === undefined || named === format || format === 'raw') return;",
    tests: [`${TEST}/usage.test.ts`],
  },
];
