/** Faults of packages/cluster: see tools/run-mutations.mjs. */

const SRC = 'packages/cluster/src';
const CLUSTER = 'packages/cluster/test/cluster.test.ts';

export default [
  {
    name: 'pieces of the input are partitioned as if each were the first',
    file: `${SRC}/work/stages.ts`,
    before: 'split.classify(piece, first)',
    after: 'split.classify(piece, 0)',
    tests: [CLUSTER],
  },
  {
    name: 'ranges of parts forget the parts before',
    file: `${SRC}/work/stages.ts`,
    before: 'sizes.slice(0, part).reduce(',
    after: 'sizes.slice(0, part >> 1).reduce(',
    tests: [CLUSTER],
  },
  {
    name: 'an input that was changed is sorted on',
    file: `${SRC}/work/stages.ts`,
    before: 'if (changed === -1 && source.size === size) return source;',
    after: 'if (changed > -2 && size >= 0) return source;',
    tests: [CLUSTER],
  },
];
