import { describe, expect, it } from 'vitest';
import { WGSL } from '../generated/wgsl.js';
import {
  addShaders,
  type Constants,
  constantsFor,
  expand,
  KERNELS,
  type Kernel,
  LAYOUTS,
  type Specialization,
  type SweepShape,
  shader,
} from '../wgsl/index.js';
import { layoutOf } from '../wgsl/layouts.mjs';
import { WGSL_SEGMENTS } from '../wgsl/segments.js';

/** Lines of what `text` expands to, without the constants in front. */
function lines(
  text: string,
  constants: Constants = {},
  files: Record<string, string> = {},
): string[] {
  const head = Object.keys(constants).length;
  return expand('main.wgsl', { 'main.wgsl': text, ...files }, constants)
    .split('\n')
    .slice(head);
}

/** A text of these lines. */
const text = (...parts: string[]): string => parts.join('\n');

describe('expand', () => {
  it('leaves plain lines and other comments alone', () => {
    const plain = ['fn f() {', '  // #if no directive', '  //if', '', '}'];
    expect(lines(text(...plain))).toEqual(plain);
  });

  it('puts constants in front', () => {
    expect(expand('a.wgsl', { 'a.wgsl': 'x' }, { A: 1, B_2: 0 })).toBe(
      text('const A = 1u;', 'const B_2 = 0u;', 'x'),
    );
  });

  it('includes files, and the files that they include', () => {
    const files = { 'a.wgsl': text('a', '//#include b.wgsl', 'A'), 'b.wgsl': 'b' };
    expect(lines(text('1', '  //#include a.wgsl', '2'), {}, files)).toEqual([
      '1',
      'a',
      'b',
      'A',
      '2',
    ]);
  });

  const conditional = text('//#if X', 'yes', '//#else', 'no', '//#end', 'after');

  it.each([
    ['X', 0, false],
    ['X', 1, true],
    ['X', 2, true],
    ['X == 2', 2, true],
    ['X == 2', 1, false],
    ['X > 1', 1, false],
    ['X > 1', 2, true],
  ])('//#if %s where X is %i: %s', (expression, X, holds) => {
    const of = (source: string): string[] =>
      lines(source.replace('#if X', `#if ${expression}`), { X });
    expect(of(conditional)).toEqual([holds ? 'yes' : 'no', 'after']);
    expect(of(text('//#if X', 'yes', '//#end', 'after'))).toEqual(
      holds ? ['yes', 'after'] : ['after'],
    );
  });

  it('//#unroll replaces the word and the ending, and nothing like them', () => {
    const source = text('//#unroll i in COUNT', 'a_i = b_i[i] + ii + i_ + x_ij + in;', '//#end');
    expect(lines(source, { COUNT: 2 })).toEqual([
      'a_0 = b_0[0u] + ii + i_ + x_ij + in;',
      'a_1 = b_1[1u] + ii + i_ + x_ij + in;',
    ]);
    expect(lines(source, { COUNT: 0 })).toEqual([]);
    expect(lines(source.replace('COUNT', '1'))).toHaveLength(1);
  });

  it('repeats all lines of a block together', () => {
    expect(lines(text('//#unroll k in 2', 'a_k', 'b_k', '//#end'))).toEqual([
      'a_0',
      'b_0',
      'a_1',
      'b_1',
    ]);
  });

  it('names the next thing that it repeats', () => {
    const source = text('//#unroll i in 2', 'swap(a_i, a_inext)', '//#end');
    expect(lines(source)).toEqual(['swap(a_0, a_1)', 'swap(a_1, a_2)']);
  });

  it('//#pairs takes numbers that differ in one bit, the lower one first unless turned', () => {
    const source = text('//#pairs a b in 4 by 1', 'x_a < x_b; a', '//#end');
    expect(lines(source)).toEqual(['x_0 < x_1; 0u', 'x_2 < x_3; 2u']);
    expect(lines(source.replace('by 1', 'by 2'))).toEqual(['x_0 < x_2; 0u', 'x_1 < x_3; 1u']);
    expect(lines(source.replace('by 1', 'by 1 turned 2'))).toEqual([
      'x_0 < x_1; 0u',
      'x_3 < x_2; 3u',
    ]);
    expect(lines(source.replace('in 4', 'in COUNT'), { COUNT: 2 })).toEqual(['x_0 < x_1; 0u']);
    expect(lines(source.replace('by 1', 'by 2 crossed 1'))).toEqual([
      'x_0 < x_3; 0u',
      'x_1 < x_2; 1u',
    ]);
  });

  it('nests blocks of every kind', () => {
    const source = text(
      '//#if OUTER',
      '//#unroll i in 2',
      '//#if INNER == 1',
      '//#unroll j in 2',
      'a_i b_j',
      '//#end',
      '//#else',
      '//#include c.wgsl',
      '//#end',
      '//#end',
      '//#else',
      'not outer',
      '//#end',
      'last',
    );
    const of = (OUTER: number, INNER: number): string[] =>
      lines(source, { OUTER, INNER }, { 'c.wgsl': 'c[i]' });
    expect(of(0, 1)).toEqual(['not outer', 'last']);
    expect(of(1, 0)).toEqual(['c[0u]', 'c[1u]', 'last']);
    expect(of(1, 1)).toEqual(['a_0 b_0', 'a_0 b_1', 'a_1 b_0', 'a_1 b_1', 'last']);
  });

  it.each([
    ['no end', text('a', '//#if X', 'b'), 'main.wgsl:2: this block has no //#end'],
    [
      'no end of the outer block',
      text('//#if X', '//#unroll i in 2', '//#end'),
      'main.wgsl:1: this block',
    ],
    [
      'no constant of a condition',
      text('', '', '//#if Y', '//#end'),
      'main.wgsl:3: there is no constant Y',
    ],
    [
      'no constant of a count',
      text('//#unroll i in Y', '//#end'),
      'main.wgsl:1: there is no constant Y',
    ],
    [
      'no such condition',
      text('//#if X < 2', '//#end'),
      "main.wgsl:1: cannot read the condition 'X < 2'",
    ],
    ['no such loop', text('//#unroll i to 2', '//#end'), 'main.wgsl:1: expected'],
    ['no such pairs', text('//#pairs a in 2', '//#end'), 'main.wgsl:1: expected'],
    ['no such file', text('a', '//#include b.wgsl'), 'main.wgsl:2: there is no file b.wgsl'],
  ])('names file and line: %s', (_, source, message) => {
    expect(() => lines(source, { X: 1 })).toThrow(message);
  });

  it('repeats blocks in blocks, and endings with them', () => {
    const source = text(
      '//#unroll i in 2',
      '//#unroll j in 2',
      'x_i_j += j + i;',
      '//#end',
      '//#end',
    );
    expect(lines(source)).toEqual(
      ['0_0 += 0u + 0u;', '0_1 += 1u + 0u;', '1_0 += 0u + 1u;', '1_1 += 1u + 1u;'].map(
        (line) => `x_${line}`,
      ),
    );
  });

  it('puts what WGSL wants first in front of the constants', () => {
    const files = { 'a.wgsl': text('// A', 'enable subgroups;', 'fn a() {}') };
    expect(expand('a.wgsl', files, { X: 1 }).split('\n')).toEqual([
      'enable subgroups;',
      'const X = 1u;',
      '// A',
      'fn a() {}',
    ]);
  });

  it('names the included file where the mistake is', () => {
    const files = { 'b.wgsl': text('', '//#if Y', '//#end') };
    expect(() => lines('//#include b.wgsl', {}, files)).toThrow('b.wgsl:2: there is no constant Y');
  });

  it('knows no file of that name', () => {
    expect(() => expand('a.wgsl', {}, {})).toThrow('there is no file a.wgsl');
  });

  it.each(['//#end', '//#else'])('%s without a block is a mistake', (directive) => {
    expect(() => lines(text('a', directive))).toThrow('main.wgsl:2: ');
  });
});

/**
 * Shapes of chained scans: subgroups narrow, usual and wide, with each feature present and absent.
 */
const SHAPES: readonly SweepShape[] = [
  { subgroup: 4, threads: 32, keys: 3, needsSizeControl: false, hasSubgroupId: true },
  { subgroup: 32, threads: 512, keys: 23, needsSizeControl: false, hasSubgroupId: false },
  { subgroup: 64, threads: 256, keys: 8, needsSizeControl: true, hasSubgroupId: true },
].map((shape, i) => ({ ...shape, lookLimit: 9, stalledTile: undefined, hasNanTies: i > 0 }));

/** A shape without subgroups, for sorts by a map of keys without values. */
const ALONE: SweepShape = {
  ...{ subgroup: 0, threads: 256, keys: 7, needsSizeControl: false, hasSubgroupId: false },
  ...{ lookLimit: 0, stalledTile: undefined, hasNanTies: false },
};

const CHAINED: readonly string[] = ['tileSort', 'histogram', 'firstSweep', 'sweep'];
/** The kernels of a hybrid sort by a map, and the one that both kinds of hybrid sorts have. */
const MAPPED: readonly string[] = [
  ...(['sample', 'countBuckets', 'splitBuckets', 'countBins', 'cutBatches', 'splitBins'] as const),
];
const HYBRID: readonly string[] = [...MAPPED, 'batchSort'];

/** Batches of hybrid sorts: with few and many keys a thread. */
const BATCHES = [true, false].flatMap((isMapped) => [
  { threads: 64, keys: 3, isMapped },
  { threads: 256, keys: 19, isMapped },
]);

/** Kernels of a sort by regular sampling, and how it cuts an array. */
const SAMPLED: readonly string[] = ['sortRuns', 'sortBuckets'];
const SAMPLING = {
  run: { threads: 128, keys: 4 },
  bucket: { threads: 256, keys: 8 },
  stride: 8,
  maxRuns: 32,
};

/** How segments are sorted. */
const SEGMENTS = { shortKeys: 8, singleKeys: 16, fewerKeys: 512, isPlaced: true };

/** Kernels of segments on devices with subgroups. */
const SEGMENTED: readonly Kernel[] = [
  ...(['clearMarks', 'markSegments', 'findWindows', 'evenSort', 'shortSort'] as const),
  ...(['evenSingles', 'shortSingles', 'fewerSort', 'middleSort'] as const),
  ...(['cutLong', 'countLong', 'startLong', 'longFirstSweep', 'longSweep'] as const),
];

/** Kernels of the first keys of segments. */
const FIRST: readonly Kernel[] = ['cutRows', 'firstOfShort', 'firstOfRows', 'firstOfLong'];

/** Everything that `kernel` can be specialised in, by widths; of shapes those above. */
function* specializations(kernel: Kernel): Generator<Specialization> {
  for (const keyWords of [1, 2] as const) {
    for (const valueWords of [0, 1, 2] as const) {
      for (const approximate of keyWords === 1 ? [false, true] : [false]) {
        const widths = { keyWords, valueWords, approximate };
        const others = [...CHAINED, ...HYBRID, ...SAMPLED, ...SEGMENTED, ...FIRST];
        if (!others.includes(kernel)) yield widths;
        if (['survey', 'plan'].includes(kernel)) yield { ...widths, isAfterMap: true };
        for (const isIndexed of FIRST.includes(kernel) ? [false, true] : []) {
          yield { ...widths, first: { storage: isIndexed ? 16_384 : 49_152, isIndexed } };
        }
        for (const shape of SEGMENTED.includes(kernel) ? SHAPES : []) {
          for (const isPlaced of valueWords === 0 ? [false, true] : [true]) {
            yield { ...widths, chained: { ...shape, segments: { ...SEGMENTS, isPlaced } } };
          }
        }
        for (const shape of SAMPLED.includes(kernel) ? SHAPES : []) {
          yield { ...widths, chained: { ...shape, sampling: SAMPLING } };
        }
        for (const chained of CHAINED.includes(kernel) ? SHAPES : []) yield { ...widths, chained };
        for (const batch of [...CHAINED, ...HYBRID].includes(kernel) ? BATCHES : []) {
          if (MAPPED.includes(kernel) && !batch.isMapped) continue;
          for (const shape of SHAPES) yield { ...widths, chained: { ...shape, batch } };
          if (valueWords > 0 || !batch.isMapped || !HYBRID.includes(kernel)) continue;
          yield { ...widths, chained: { ...ALONE, batch } };
        }
      }
    }
  }
}

/** What a kernel of segments may be specialised in. */
const CLEAR: Specialization = {
  ...{ keyWords: 1, valueWords: 1, approximate: false },
  chained: { ...(SHAPES[0] as SweepShape), segments: SEGMENTS },
};

describe('the kernels', () => {
  it('are all the files that are no fragments', () => {
    const all = [...Object.keys(WGSL), ...Object.keys(WGSL_SEGMENTS)];
    const files = all.filter((name) => !name.startsWith('fragments/'));
    const named = Object.values(KERNELS).map(({ file }) => `${file}.wgsl`);
    expect([...new Set(named)].sort()).toEqual(files.sort());
  });

  it('are in one module each, and kernels of segments in one of their own', () => {
    const [main, ofSegments] = [WGSL, WGSL_SEGMENTS].map((files) => Object.keys(files)) as [
      string[],
      string[],
    ];
    expect(main.filter((name) => ofSegments.includes(name))).toEqual([]);
    expect(main.filter((name) => name.startsWith('segments/'))).toEqual([]);
    expect(ofSegments.filter((name) => !/^(segments|fragments)\//.test(name))).toEqual([]);
    // What only they include is there as well.
    expect(ofSegments).toContain('fragments/bitonic.wgsl');
  });

  it('of segments are unknown until they are added', () => {
    const code = (): string => shader('segments/clear', constantsFor(CLEAR, 'clearMarks'));
    expect(code).toThrow('there is no file segments/clear.wgsl');
    addShaders(WGSL_SEGMENTS);
    expect(code()).toContain('fn clearMarks(');
  });

  it.each(Object.keys(KERNELS) as Kernel[])(
    '%s expands for all records, with nothing left to be expanded',
    (kernel) => {
      addShaders(WGSL_SEGMENTS);
      const { file, entryPoint } = KERNELS[kernel];
      for (const specialization of specializations(kernel)) {
        const code = shader(file, constantsFor(specialization, kernel));
        const what = JSON.stringify(specialization);
        expect(code, what).not.toContain('//#');
        // Nor is a line that should be in a loop.
        expect(code, what).not.toMatch(/\w_[bijkpr](?![A-Za-z0-9])/);
        expect(code, what).toMatch(new RegExp(`@compute[^{}]*fn ${entryPoint}\\(`));
        expect(code.match(/\{/g)?.length, what).toBe(code.match(/\}/g)?.length);
      }
    },
  );
});

describe('the layouts of structs', () => {
  const STRUCT = text(
    'struct Mixed {',
    '  flag: u32,',
    '  wide: vec2u,',
    '  last: u32,',
    '  rest: array<Other, 4>,',
    '  behind: u32,',
    '}',
  );

  it('aligns each field to its size, and the struct to its widest field', () => {
    expect(layoutOf(STRUCT, 'Mixed')).toEqual({ flag: 0, wide: 8, last: 16, size: 24 });
  });

  it('places a struct within another one, by its widest field', () => {
    const outer = text('struct Outer {', '  first: u32,', '  mixed: Mixed,', '  after: u32,', '}');
    expect(layoutOf(`${STRUCT}\n${outer}`, 'Outer')).toEqual({
      first: 0,
      mixed: 8,
      after: 32,
      size: 40,
    });
  });

  it('names a struct that is not there', () => {
    expect(() => layoutOf(STRUCT, 'Other')).toThrow('there is no struct Other');
  });

  it('has every field of the structs that the host writes', () => {
    expect(LAYOUTS.Order).toEqual({
      ...{ negative: 0, positive: 8, bias: 16, flip: 24, lowest: 32, highest: 40, mask: 48 },
      ...{
        maxBlocks: 56,
        minTiles: 60,
        maxCount: 64,
        mayShift: 68,
        surveyGroups: 72,
        minHybrid: 76,
        countedKeys: 80,
        rangeBits: 84,
        size: 88,
      },
    });
    expect(LAYOUTS.SegmentGroup).toEqual({
      ...{ first: 0, end: 4, firstSegment: 8, endSegment: 12, size: 16 },
    });
  });
});
