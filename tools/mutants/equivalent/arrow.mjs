/** Of packages/arrow: see ../equivalent.mjs. */
export default [
  {
    file: 'packages/arrow/src/argsort-table.ts',
    code: 'const controls = { ...(backend && { backend }), ...(signal && { signal }) };',
    before: '{ ...(backend && { backend }), ...(signal && { signal }) }',
    after: '{}',
    why: 'the sort of all rows that follows has them as well, so only the time differs',
  },
  {
    file: 'packages/arrow/src/take.ts',
    code: 'for (let i = 0; i < rows.length; i++) if (isSet(bits, i)) nulls--;',
    before: 'i < rows.length',
    after: 'i <= rows.length',
    why: 'the bits after the last row are 0, or there are none',
  },
  {
    file: 'packages/arrow/src/argsort-table.ts',
    code: 'const controls = { ...(backend && { backend }), ...(signal && { signal }) };',
    before: 'signal && { signal }',
    after: 'true',
    why: 'the sort of all rows that follows has the signal as well, so only the time differs',
  },
  {
    file: 'packages/arrow/src/take.ts',
    code: 'for (let i = 0; i < rows.length; i++) target[i] = source[rows[i] as number] as number;',
    before: 'i < rows.length',
    after: 'i <= rows.length',
    why: 'a typed array takes no element after its last one',
  },
  {
    file: 'packages/arrow/src/take.ts',
    code: 'if (length > SHORT) values.set(source.subarray(from, from + length), to);',
    before: 'length > SHORT',
    after: 'length >= SHORT',
    why: 'it decides which of two ways copies a value of this length',
  },
];
