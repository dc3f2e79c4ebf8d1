/** Faults to be planted in the papers' sorts: see tools/faults/main.mjs. */

const STAGES = ['apps/papers/test/gpu/stages.test.ts'];
const SORTS = ['apps/papers/test/gpu/papers.test.ts'];
const CPU = ['apps/papers/test/cpu.test.ts'];
const WGSL = 'apps/papers/kernels/wgsl';

export default [
  {
    name: 'equal keys have no order in comparison counts',
    file: `${WGSL}/comparison-counts.wgsl`,
    before: 'start + i < own',
    after: 'start + i <= own',
    tests: STAGES,
  },
  {
    name: 'equal neighbours change places in a transposition',
    file: `${WGSL}/odd-even-transposition.wgsl`,
    before: 'if (key > next)',
    after: 'if (key >= next)',
    tests: [...STAGES, ...SORTS],
  },
  {
    name: 'selection takes the last of equal keys',
    file: `${WGSL}/selection.wgsl`,
    before: 'sourceKeys[from_] < key)',
    after: 'sourceKeys[from_] <= key)',
    tests: [...STAGES, ...SORTS],
  },
  {
    name: 'insertion passes equal keys',
    file: `${WGSL}/insertion.wgsl`,
    before: 'staying.x > inserted.x)',
    after: 'staying.x >= inserted.x)',
    tests: [...STAGES, ...SORTS],
  },
  {
    name: 'the first step of a bitonic merge is not mirrored',
    file: `${WGSL}/bitonic.wgsl`,
    before: 'low + 2u * (stride - lane) - 1u, isFlip)',
    after: 'low + stride, isFlip)',
    tests: STAGES,
  },
  {
    name: 'an odd-even merge compares across the border of two',
    file: `${WGSL}/odd-even-merge.wgsl`,
    before: 'select(none, low + stride, isPair)',
    after: 'low + stride',
    tests: STAGES,
  },
  {
    name: 'explicit counters count a digit more in a start',
    file: `${WGSL}/explicit-counters.wgsl`,
    before: 'smaller < digit; smaller++',
    after: 'smaller <= digit; smaller++',
    tests: STAGES,
  },
  {
    name: 'the implied count forgets one of the three',
    file: `${WGSL}/fragments/implicit-counts.wgsl`,
    before: 'total - counted.x - counted.y - counted.z',
    after: 'total - counted.x - counted.y',
    tests: STAGES,
  },
  {
    name: 'a hybrid scatter forgets the keys alone',
    file: `${WGSL}/fragments/layouts.wgsl`,
    before: '  targetKeys[at] = record.x;\n',
    after: '  targetKeys[at] = 0u;\n',
    tests: STAGES,
  },
  {
    name: 'masks and scans have fifteen digits',
    file: `${WGSL}/masks-and-scans.wgsl`,
    before: '  for (var digit = 0u; digit < 16u; digit++) {\n    var to',
    after: '  for (var digit = 0u; digit < 15u; digit++) {\n    var to',
    tests: STAGES,
  },
  {
    name: 'a merge takes the second of equal keys first',
    file: `${WGSL}/fragments/merge-tile.wgsl`,
    before: 'keyOf(tile[a]) <= keyOf(tile[b])',
    after: 'keyOf(tile[a]) < keyOf(tile[b])',
    tests: [...STAGES, ...SORTS],
  },
  {
    name: 'a cut that comes twice shares its keys twice',
    file: `${WGSL}/fragments/bucket-bounds.wgsl`,
    before: 'placeOf(cut, start, size, isAgain)',
    after: 'placeOf(cut, start, size, false)',
    tests: [...STAGES, ...SORTS],
  },
  {
    name: 'a buffer writes what was in it before its digit began',
    file: 'apps/papers/kernels/cpu/buffered-radix.ts',
    before: 'max(line, load<u32>(begins + (value << 2)))',
    after: 'line',
    tests: CPU,
  },
  {
    name: 'a vector merge goes on with the greater run',
    file: 'apps/papers/kernels/cpu/merge-sort.ts',
    before: 'load<u32>(a) <= load<u32>(b)',
    after: 'load<u32>(a) >= load<u32>(b)',
    tests: CPU,
  },
];
