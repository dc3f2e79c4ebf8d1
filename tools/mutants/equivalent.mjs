/**
 * Mutants that somebody has read and that no caller can tell from the code as it is: the file, its
 * line, the text before and after as survivors are listed, and why. They are not tried.
 */
export const EQUIVALENT = [
  {
    file: 'packages/arrow/src/argsort-table.ts',
    code: 'const controls = { ...(backend && { backend }), ...(signal && { signal }) };',
    before: '{ ...(backend && { backend }), ...(signal && { signal }) }',
    after: '{}',
    why: 'the sort of all rows that follows has them as well, so only the time differs',
  },
  {
    file: 'packages/keysweep/src/table/order-table.ts',
    code: 'depths.fill(depth, at, at + end - start);',
    before: 'at + end - start',
    after: 'at + end + start',
    why: 'what is filled too far is filled again for the groups that follow',
  },
  {
    file: 'packages/keysweep/src/table/fields.ts',
    code: 'if (words) {',
    before: '{ lows.set(words, from); yield; continue; }',
    after: '{}',
    why: 'the loop after it makes the same words without the kernel, and slower',
  },
  {
    file: 'packages/files/src/csv/numbers.ts',
    code: 'if (to - at > EXACT) return writeLong(bytes, at, to, sign === MINUS, words, place);',
    before: 'to - at > EXACT',
    after: 'true',
    why: 'short numbers only have a quicker way to the same double',
  },
  {
    file: 'packages/files/src/npy.ts',
    code: "const [, descr] = /'descr'\\s*:\\s*'([^']*)'/.exec(header) ?? [];",
    before: '[]',
    after: '["Stryker was here"]',
    why: 'only the second element is looked at',
  },
  {
    file: 'packages/cpu/src/pool/threads-node.ts',
    code: "const isNarrow = operation === 'sort' && keyTraits(keyTypes[0] as KeyType).bits <= 32;",
    before: "operation === 'sort'",
    after: 'true',
    why: 'it decides from how many keys on threads pay: results are alike',
  },
  {
    file: 'packages/keysweep/src/table/order-table.ts',
    code: 'if (rows < FIELD_ROWS) continue;',
    before: 'rows < FIELD_ROWS',
    after: 'rows >= FIELD_ROWS',
    why: 'it decides how often other work gets its turn',
  },
  {
    file: 'packages/keysweep/src/table/collate.ts',
    code: 'for (let i = start; i < end; i++) {',
    before: '{ order[i] = numbers[sorted.order[at] as number] as number; places[at++] = i; }',
    after: '{}',
    why: 'checkOrder then finds strings in the wrong order and compares them, which takes longer',
  },
  {
    file: 'packages/arrow/src/take.ts',
    code: 'for (let i = 0; i < rows.length; i++) if (isSet(bits, i)) nulls--;',
    before: 'i < rows.length',
    after: 'i <= rows.length',
    why: 'the bits after the last row are 0, or there are none',
  },
  {
    file: 'packages/external/src/shown.ts',
    code: "const [authority = ''] = /^[^/?#]*/.exec(rest) ?? [];",
    before: '/^[^/?#]*/',
    after: '/[^/?#]*/',
    why: 'no characters are a match, too, so the first one begins at 0',
  },
  {
    file: 'packages/cpu/src/pool/task.ts',
    code: 'return { from: at(thread), to: at(thread + 1) };',
    before: '{ from: at(thread), to: at(thread + 1) }',
    after: '{}',
    why: 'pages that no thread has touched before are handed out when they are first written',
  },
];
