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
    file: `${SRC}/stored/column.ts`,
    before: 'else if (!isValid(valid, row)) return row;',
    after: 'else if (!isValid(valid, row) && row < 0) return row;',
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
  {
    name: 'a null row of a Parquet page gets the next value',
    file: `${SRC}/parquet/pages.ts`,
    before: '  if (count < nulls.length) spread(part, width, count, nulls);',
    after: '  if (count > nulls.length) spread(part, width, count, nulls);',
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: 'text of null rows takes the next value',
    file: `${SRC}/parquet/text.ts`,
    before: 'while (nulls[this.#row - this.#first] === 1) this.#close(this.#size);',
    after: 'while (nulls[this.#row - this.#first] === 2) this.#close(this.#size);',
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: 'rows are written in the order of the input',
    file: `${SRC}/stored/take.ts`,
    before:
      '    for (let i = 0; i < order.length; i++) to[i] = from[order[i] as number] as number;',
    after: '    for (let i = 0; i < order.length; i++) to[i] = from[i] as number;',
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: 'bits of nulls stay with their place, not with their row',
    file: `${SRC}/stored/take.ts`,
    before: 'if (isValid(valid, order[i] as number)) (out[i >> 3] as number)',
    after: 'if (isValid(valid, i)) (out[i >> 3] as number)',
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: 'wide decimals are written little-endian',
    file: `${SRC}/parquet/write.ts`,
    before: 'out[to + i] = bytes[from + length - 1 - i] as number;',
    after: 'out[to + i] = bytes[from + i] as number;',
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: 'negative decimals lose their sign',
    file: `${SRC}/parquet/open.ts`,
    before: '< 0x80 ? 0 : 0xff;',
    after: '< 0x80 ? 0 : 0;',
    tests: [`${TEST}/column.test.ts`],
  },
  {
    name: 'a dictionary takes a value for another of the same hash',
    file: `${SRC}/parquet/dictionary.ts`,
    before: 'if (bytes[start + i] !== bytes[other + i]) return false;',
    after: 'if (i < 0 && bytes[start + i] !== bytes[other + i]) return false;',
    tests: [`${TEST}/column.test.ts`],
  },
  {
    name: 'a time zone is lost on the way to Parquet',
    file: `${SRC}/parquet/type.ts`,
    before: "if (type.zone !== undefined && type.zone !== 'UTC') {",
    after: "if (type.zone === '') {",
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: 'the footer of an Arrow file that is written lacks its batches',
    file: `${SRC}/arrow/write.ts`,
    before: 'blocksOf(batches)]);',
    after: 'blocksOf(dictionaries.concat(batches).slice(0, 0))]);',
    tests: [`${TEST}/rows.test.ts`],
  },
  {
    name: 'a source that is none is opened',
    file: `${SRC}/open.ts`,
    before: "&& typeof read === 'function') return;",
    after: "|| typeof read !== 'function') return;",
    tests: [`${TEST}/raw.test.ts`],
  },
];
