/** The sorts on the CPU as plans of calls, for their twins: what a call of `CPU_SORTS` does. */

import { type Algorithm, LONGEST } from './algorithm.js';
import type { CpuSortName } from './cpu.js';
import { KEYS, OTHER, SHAPE, type Shape, Table } from './plan.js';

/** Digits of a key, whatever its bits; keys of a vector; log2 of the keys of a cached block. */
const DIGITS = 4;
const VECTOR = 4;
const BLOCK_BITS = 14;

/** Names of a pass's buffers, which it reads and writes alternately. */
const hereThenOther = (isThere: boolean): { from: string; to: string } =>
  isThere ? { from: OTHER.keys, to: KEYS } : { from: KEYS, to: OTHER.keys };

/** A radix sort of four digits: all are counted at once, then `pass` adds one after the other. */
function fourDigits(
  count: number,
  shape: Shape,
  pass: (table: Table, radix: number, buffers: Record<string, string>) => [string, string],
): Table {
  const table = new Table(count, false, shape);
  const digitBits = shape.keyBits / DIGITS;
  const radix = 2 ** digitBits;
  const more = { constants: { DIGIT_BITS: digitBits, LINE: shape.line } };
  table.addOther();
  table.scratch.counters = DIGITS * radix;
  const counted = { keys: KEYS, counters: 'counters' };
  table.add('plain-radix', 'countDigits', { count }, counted, 1, more);
  for (let digit = 0; digit < DIGITS; digit++) {
    const buffers = { ...hereThenOther(digit % 2 === 1), counters: 'counters' };
    const [kernel, entryPoint] = pass(table, radix, buffers);
    table.add(kernel, entryPoint, { count, shift: digit * digitBits }, buffers, 1, more);
  }
  return table;
}

const plainRadix: Algorithm & { readonly name: CpuSortName } = {
  name: 'plainRadix',
  title: 'radix sort, each key straight to its place',
  source: 'Satish 2010',
  maxLength: LONGEST,
  isStable: false,
  plan: (count, _, shape = SHAPE) =>
    fourDigits(count, shape, () => ['plain-radix', 'plainRadix']).done(),
  cost: () => ({ bytes: 36, operations: 16 }),
};

const bufferedRadix: Algorithm & { readonly name: CpuSortName } = {
  name: 'bufferedRadix',
  title: 'radix sort, buffers of a cache line',
  source: 'Satish 2010',
  maxLength: LONGEST,
  isStable: false,
  plan: (count, _, shape = SHAPE) =>
    fourDigits(count, shape, (table, radix, buffers) => {
      table.scratch.buffers = radix * shape.line;
      table.scratch.begins = radix;
      Object.assign(buffers, { buffers: 'buffers', begins: 'begins' });
      return ['buffered-radix', 'bufferedRadix'];
    }).done(),
  cost: () => ({ bytes: 36, operations: 26 }),
};

const mergeSort: Algorithm & { readonly name: CpuSortName } = {
  name: 'mergeSort',
  title: 'merge sort by vectors of four keys',
  source: 'Chhugani 2008; Satish 2010',
  maxLength: LONGEST,
  isStable: false,
  plan(count, _, shape = SHAPE) {
    const table = new Table(count, false, shape);
    table.addOther();
    table.add('merge-sort', 'sortVectors', { count }, { keys: KEYS }, 1);
    let isThere = false;
    for (let run = VECTOR; run < count; run *= 2) {
      table.add('merge-sort', 'mergePass', { count, run }, hereThenOther(isThere), 1);
      isThere = !isThere;
    }
    return table.done(isThere ? OTHER : undefined);
  },
  cost(count) {
    const log = Math.log2(Math.max(VECTOR, count));
    return {
      bytes: 8 * (1 + Math.max(0, Math.ceil(log - BLOCK_BITS))),
      operations: 3 * (log - Math.log2(VECTOR)),
    };
  },
};

/** All sorts on the CPU; `count` is a multiple of 4. */
export const CPU_ALGORITHMS: readonly (Algorithm & { readonly name: CpuSortName })[] = [
  plainRadix,
  bufferedRadix,
  mergeSort,
];
