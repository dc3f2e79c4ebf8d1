/** Radix sorts: a pass a digit, each with counts, their scan, and a scatter. */

import { type Algorithm, LONGEST } from './algorithm.js';
import { HERE, type Numbers, OTHER, type Place, piecesOf, SHAPE, Table, THREADS } from './plan.js';

/**
 * Calls `pass` for each digit of `bits` in keys of `keyBits`, with records that go to and fro.
 * Returns where they are in the end.
 */
function eachDigit(
  bits: number,
  keyBits: number,
  pass: (shift: number, from: Place, to: Place) => void,
): Place {
  let [from, to] = [HERE, OTHER];
  for (let shift = 0; shift < keyBits; shift += bits) {
    pass(shift, from, to);
    [from, to] = [to, from];
  }
  return from;
}

/** Operations of a scan a key: each thread of a workgroup adds once a step. */
const scanOperations = (scans: number): number => (scans * 2 * Math.log2(THREADS)) / 4;

const binaryRadix: Algorithm = {
  name: 'binary-radix',
  title: 'binary radix, one bit a pass',
  source: 'Blelloch; Satish 2009',
  maxLength: LONGEST,
  isStable: true,
  plan(count, hasValues, shape = SHAPE) {
    const table = new Table(count, hasValues, shape);
    const { tiles, scratch } = table;
    table.addOther();
    scratch.zeros = tiles;
    scratch.ones = tiles;
    const counts = { zeros: 'zeros', ones: 'ones' };
    const result = eachDigit(1, shape.keyBits, (bit, from, to) => {
      const params = { count, bit };
      const counted = { sourceKeys: from.keys, ...counts };
      table.add('binary-radix', 'countBits', params, counted, tiles);
      table.addScan('zeros', tiles);
      table.addScan('ones', tiles, 1);
      table.add('binary-radix', 'split', params, { ...table.moving(from, to), ...counts }, tiles);
    });
    return table.done(result);
  },
  cost: () => ({ bytes: 32 * 12, operations: 32 * scanOperations(2) }),
};

const explicitCounters: Algorithm = {
  name: 'explicit-counters',
  title: 'radix 16, sixteen explicit counters',
  source: 'Satish 2009',
  maxLength: LONGEST,
  isStable: true,
  plan(count, hasValues, shape = SHAPE) {
    const table = new Table(count, hasValues, shape);
    const { tiles, scratch } = table;
    table.addOther();
    scratch.counts = 16 * tiles;
    for (let shift = 0; shift < shape.keyBits; shift += 4) {
      const params = { count, shift, tiles };
      const sorting = { ...table.moving(HERE, OTHER), counts: 'counts' };
      table.add('explicit-counters', 'sortTile', params, sorting, tiles);
      table.addScan('counts', 16 * tiles);
      const scattering = { ...table.moving(OTHER, HERE), counts: 'counts' };
      table.add('explicit-counters', 'scatter', params, scattering, tiles);
    }
    return table.done();
  },
  cost: () => ({ bytes: 8 * 16, operations: 8 * (scanOperations(4) + 2) }),
};

/** Each pass counts the digits of all keys, scans the counts, and scatters the records by them. */
const countAndScatter =
  (kernel: string, bits: number, constants: Numbers = {}): Algorithm['plan'] =>
  (count, hasValues, shape = SHAPE) => {
    const table = new Table(count, hasValues, shape);
    const { tiles, scratch } = table;
    table.addOther();
    scratch.counts = 2 ** bits * tiles;
    const counts = 'counts';
    const result = eachDigit(bits, shape.keyBits, (shift, from, to) => {
      const params = { count, shift, tiles };
      const counted = { sourceKeys: from.keys, counts };
      table.add(kernel, 'countDigits', params, counted, tiles, { constants });
      table.addScan(counts, scratch.counts as number);
      const moved = { ...table.moving(from, to), counts };
      table.add(kernel, 'scatter', params, moved, tiles, { constants });
    });
    return table.done(result);
  };

const masksAndScans: Algorithm = {
  name: 'masks-and-scans',
  title: 'radix 16, masks and scans',
  source: 'Copenhagen report',
  maxLength: LONGEST,
  isStable: true,
  plan: countAndScatter('masks-and-scans', 4),
  cost: () => ({ bytes: 8 * 12, operations: 8 * (32 + scanOperations(32)) }),
};

/** Where keys and values lie: LAYOUT of implicit-counters.wgsl. */
const ARRAYS = 0;
const HYBRID = 1;
const PAIRS = 2;

const implicitCounters: Algorithm = {
  name: 'implicit-counters',
  title: 'radix 4, implicit counters',
  source: 'Ha, Krüger, Silva',
  maxLength: LONGEST,
  isStable: true,
  plan: countAndScatter('implicit-counters', 2, { LAYOUT: ARRAYS }),
  cost: () => ({ bytes: 16 * 12, operations: 16 * scanOperations(2) }),
};

/** The same for pairs, which lie side by side while they are sorted. */
const implicitPairs = (name: string, title: string, layout: number): Algorithm => ({
  name,
  title,
  source: 'Ha, Krüger, Silva',
  maxLength: LONGEST,
  isStable: true,
  isForPairs: true,
  plan(count, _, shape = SHAPE) {
    const table = new Table(count, true, shape);
    const { tiles, scratch } = table;
    const isHybrid = layout === HYBRID;
    Object.assign(scratch, { pairs: 2 * count, otherPairs: 2 * count, counts: 4 * tiles });
    Object.assign(scratch, { keysAlone: count, ...(isHybrid && { otherAlone: count }) });
    const packed = { keys: HERE.keys, values: HERE.values, pairs: 'pairs' };
    const groups = piecesOf(count, shape.threads);
    table.add('pairs', 'pack', { count }, { ...packed, keysAlone: 'keysAlone' }, groups);
    const more = { constants: { LAYOUT: layout } };
    const counts = 'counts';
    const [here, other] = [
      { pairs: 'pairs', alone: 'keysAlone' },
      { pairs: 'otherPairs', alone: 'otherAlone' },
    ];
    eachDigit(2, shape.keyBits, (shift, place) => {
      const [from, to] = place === HERE ? [here, other] : [other, here];
      const params = { count, shift, tiles };
      const counted = isHybrid ? { sourceKeys: from.alone } : { sourcePairs: from.pairs };
      table.add('implicit-counters', 'countDigits', params, { ...counted, counts }, tiles, more);
      table.addScan(counts, 4 * tiles);
      const moved = { sourcePairs: from.pairs, targetPairs: to.pairs, counts };
      const alone = isHybrid ? { sourceKeys: from.alone, targetKeys: to.alone } : {};
      table.add('implicit-counters', 'scatter', params, { ...moved, ...alone }, tiles, more);
    });
    table.add('pairs', 'unpack', { count }, packed, groups);
    return table.done();
  },
  // With a value: these sort nothing else.
  cost: () => ({ bytes: 36 + 16 * 24, operations: 16 * scanOperations(2) }),
});

export const RADIX: readonly Algorithm[] = [
  binaryRadix,
  explicitCounters,
  masksAndScans,
  implicitCounters,
  implicitPairs('implicit-counters-hybrid', 'radix 4, hybrid layout', HYBRID),
  implicitPairs('implicit-counters-pairs', 'radix 4, interleaved pairs', PAIRS),
];
