/** Faults of packages/external: see tools/run-mutations.mjs. */

const SRC = 'packages/external/src';
const SORT = 'packages/external/test/sort-file.test.ts';
const SPLIT = 'packages/external/test/split.test.ts';
const BLOCK_FILE = 'packages/external/test/block-file.test.ts';
const FAILURE = 'packages/external/test/failure.test.ts';
const S3 = 'packages/external/test/s3.test.ts';
const CLUSTER = 'packages/external/test/cluster/cluster.test.ts';
const OUTPUT = 'apps/cli/test/output.test.ts';

export default [
  {
    name: 'a hard-linked output loses its link',
    file: `${SRC}/storage/local.ts`,
    before: 'if (existing.nlink > 1) {',
    after: 'if (existing.nlink < 1) {',
    tests: [OUTPUT, FAILURE],
  },
  {
    name: 'what SIGKILL left behind stays',
    file: `${SRC}/storage/temporary.ts`,
    before: 'return pid !== undefined && !isAlive(Number(pid));',
    after: 'return pid === "" && !isAlive(Number(pid));',
    tests: [OUTPUT, FAILURE],
  },
  {
    name: 'an output loses its mode',
    file: `${SRC}/storage/local.ts`,
    before: '  await chmod(path, mode & 0o7777);\n',
    after: '  void mode;\n  void chmod;\n',
    tests: [OUTPUT, SORT],
  },
  {
    name: 'equal keys are not divided by their places',
    file: `${SRC}/splitters.ts`,
    before: 'return (this.pairs.places[splitter] as number) > place;',
    after: 'return place < 0;',
    tests: [SORT],
  },
  {
    name: 'splitters forget the low word of a key',
    file: `${SRC}/splitters.ts`,
    before: 'for (let word = 0; word < words.length; word++) {',
    after: 'for (let word = 0; word < 1; word++) {',
    tests: [SORT],
  },
  {
    name: 'the splitters of a sample are half as many',
    file: `${SRC}/sample.ts`,
    before: 'Math.floor(((i + 1) * count) / parts)',
    after: 'Math.floor(((i + 1) * count) / parts / 2)',
    tests: [SORT],
  },
  {
    name: 'repeats across parts stay',
    file: `${SRC}/sort-parts.ts`,
    before: 'if (run.unique) last = lastOf(sorted, run.layout.width) ?? last;',
    after: 'if (!run.unique) last = lastOf(sorted, run.layout.width) ?? last;',
    tests: [SORT],
  },
  {
    name: 'a part is read into memory that is being written',
    file: `${SRC}/sort-parts.ts`,
    before: 'loading = later(next.load(free));',
    after: 'loading = later(next.load(Promise.resolve(slotOf(i))));',
    tests: [SORT],
  },
  {
    name: 'a chunk is put over one that is being written',
    file: `${SRC}/partition.ts`,
    before: 'const output = outputs[turn] as Uint8Array;',
    after: 'const output = outputs[0];',
    tests: [SORT],
  },
  {
    name: 'a cell hides the splitter in it',
    file: `${SRC}/split-numbers.ts`,
    before: 'cells[cell] = below === first ? below : DIVIDED;',
    after: 'cells[cell] = below === first ? below : Math.min(below, DIVIDED);',
    tests: [SPLIT],
  },
  {
    name: 'bytes behind the last block are written elsewhere',
    file: `${SRC}/storage/block-file.ts`,
    before: 'this.#moveAll(bytes.subarray(end), at + end, cached),',
    after: 'this.#moveAll(bytes.subarray(end), at + ahead, cached),',
    tests: [BLOCK_FILE],
  },
  {
    name: 'overfull parts are not partitioned again',
    file: `${SRC}/partition.ts`,
    before: 'if (part.size <= division.partBytes) {',
    after: 'if (part.size <= 4 * division.partBytes) {',
    tests: [SORT],
  },
  {
    name: 'another input is gone on with',
    file: `${SRC}/manifest.ts`,
    before: 'if (manifest.job !== job) continue;',
    after: 'if (manifest.job === job.slice(1)) continue;',
    tests: [FAILURE],
  },
  {
    name: 'a resumed sort repeats what is written',
    file: `${SRC}/sort-file.ts`,
    before: 'partition.parts.slice(done.parts).map(',
    after: 'partition.parts.slice(0).map(',
    tests: [FAILURE],
  },
  {
    name: 'temporary files stay after a failure',
    file: `${SRC}/workspace.ts`,
    before: '      await this.#storage.remove(path);\n',
    after: '      void path;\n',
    tests: [FAILURE],
  },
  {
    name: 'an abort is not looked at',
    file: `${SRC}/sort-file.ts`,
    before: '      signal?.throwIfAborted();\n',
    after: '',
    tests: [FAILURE],
  },
  {
    name: 'space is not looked up',
    file: `${SRC}/workspace.ts`,
    before: 'if (free === undefined || free >= needed) continue;',
    after: 'if (free === undefined || needed > 0) continue;',
    tests: [FAILURE],
  },
  {
    name: 'an upload that fails stays',
    file: `${SRC}/s3/storage.ts`,
    before: 'await outputs.get(address)?.abort();',
    after: 'void outputs.get(address)?.abort;',
    tests: [S3],
  },
  {
    name: 'a temporary object is made whole where writing has failed',
    file: `${SRC}/storage/storage.ts`,
    before: 'await Promise.allSettled(streams.map((stream) => stream.abort()));',
    after: 'await Promise.allSettled(streams.map((stream) => stream.close()).slice(1));',
    tests: [S3],
  },
  {
    name: 'a range that breaks off is asked for from its beginning',
    file: `${SRC}/s3/read.ts`,
    before: 'getRange(client, place, version, from + done, from + into.length)',
    after: 'getRange(client, place, version, from, from + into.length - done)',
    tests: [S3],
  },
  {
    name: 'an object that is replaced while it is read is read on',
    file: `${SRC}/s3/read.ts`,
    before: 'if (answer.ETag === version && answer',
    after: 'if (answer',
    tests: [S3],
  },
  {
    name: 'a lost answer to the end of an upload counts as a failure',
    file: `${SRC}/s3/upload.ts`,
    before: 'if (!(await this.#isThere())) throw error;',
    after: 'if (await this.#isThere()) throw error;',
    tests: [S3],
  },
  {
    name: 'bytes that make no whole part are not kept',
    file: `${SRC}/s3/upload.ts`,
    before: 'if (rest.length > 0) await this.#send([rest]);',
    after: 'void rest;',
    tests: [S3],
  },
  {
    name: 'what objects hold in memory is not counted',
    file: `${SRC}/memory.ts`,
    before: 'streamBytes === 0 ? MOST_PARTS :',
    after: 'streamBytes >= 0 ? MOST_PARTS :',
    tests: [S3],
  },
  {
    name: 'pieces of the input are partitioned as if each were the first',
    file: `${SRC}/cluster/stages.ts`,
    before: 'split.classify(piece, first)',
    after: 'split.classify(piece, 0)',
    tests: [CLUSTER],
  },
  {
    name: 'ranges of parts forget the parts before',
    file: `${SRC}/cluster/stages.ts`,
    before: 'sizes.slice(0, part).reduce(',
    after: 'sizes.slice(0, part >> 1).reduce(',
    tests: [CLUSTER],
  },
  {
    name: 'an input that was changed is sorted on',
    file: `${SRC}/cluster/stages.ts`,
    before: 'if (changed === -1 && source.size === size) return source;',
    after: 'if (changed > -2 && size >= 0) return source;',
    tests: [CLUSTER],
  },
];
