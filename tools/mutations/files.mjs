/** Faults of packages/files: see tools/run-mutations.mjs. */

const SRC = 'packages/files/src';
const TEST = 'packages/files/test';

export default [
  {
    name: 'a page with fewer rows than its column is believed',
    file: `${SRC}/parquet/pages.ts`,
    before: '  if (rows !== chunk.rows) {',
    after: '  if (rows > chunk.rows) {',
    tests: [`${TEST}/parquet.test.ts`],
  },
  {
    name: 'places behind the end of a dictionary are read',
    file: `${SRC}/parquet/encodings.ts`,
    before: '    if (place >= size) {',
    after: '    if (place > size) {',
    tests: [`${TEST}/encodings.test.ts`],
  },
  {
    name: 'a run of a page is read by one value too few',
    file: `${SRC}/parquet/encodings.ts`,
    before: 'for (let i = 0; i < wanted; i++) store(place + i, value);',
    after: 'for (let i = 1; i < wanted; i++) store(place + i, value);',
    tests: [`${TEST}/encodings.test.ts`],
  },
  {
    name: 'the footer and the batches of an Arrow file may disagree',
    file: `${SRC}/arrow/messages.ts`,
    before: 'if (blocks.join() !== starts.join()) {',
    after: 'if (blocks.length < 0 * starts.length) {',
    tests: [`${TEST}/arrow.test.ts`],
  },
  {
    name: 'the buffers of a batch may overlap',
    file: `${SRC}/arrow/messages.ts`,
    before: 'if (offset !== next || length < 0) return false;',
    after: 'if ((offset !== next && offset < 0) || length < 0) return false;',
    tests: [`${TEST}/arrow.test.ts`],
  },
  {
    name: 'nulls of an Arrow column are sorted as values',
    file: `${SRC}/arrow/open.ts`,
    before: '=== 0) return row;',
    after: '=== 0 && row < 0) return row;',
    tests: [`${TEST}/arrow.test.ts`],
  },
  {
    name: 'a source that ends early is believed',
    file: `${SRC}/open.ts`,
    before: 'if (bytes.length === to - from) return bytes;',
    after: 'if (bytes.length <= to - from) return bytes;',
    tests: [`${TEST}/raw.test.ts`],
  },
  {
    name: 'bytes that are left over are dropped',
    file: `${SRC}/raw.ts`,
    before: '  if (remainder !== 0) {',
    after: '  if (remainder < 0) {',
    tests: [`${TEST}/raw.test.ts`],
  },
];
