/**
 * @keysweep/external/internal: the steps of `sortFile`, one by one, for `@keysweep/cluster`, which
 * does them as jobs. It is no public interface: anything here may change with any version.
 */

export { atOnce } from './at-once.js';
export { carve, partsOf, planMemory, roomOf } from './divide/memory-plan.js';
export { newSplit } from './divide/partition.js';
export { sampleSplitters } from './divide/sample.js';
export { SPLIT_BYTES } from './divide/split-numbers.js';
export { MAX_PARTS, type Pairs, Splitters } from './divide/splitters.js';
export { explained } from './error.js';
export {
  checkLayout,
  checkPath,
  checkSort,
  checkSorter,
  checkStorage,
  describe,
  leastMemory,
  type Plan,
  propertiesOf,
  wholeNumber,
} from './open/check.js';
export { BLOCK, columnBytes, KeyWords } from './open/key-words.js';
export type { Layout } from './open/layout.js';
export { later, type Run } from './open/run.js';
export { openFiles, type Source } from './open/source.js';
export { secretsIn, shownLine, withoutSecretsIn } from './shown.js';
export { sortPart } from './sort/sort-part.js';
export { BLOCK_BYTES } from './storage/block-file.js';
export { storageByName } from './storage/by-name.js';
export { readJson, writeJson } from './storage/json.js';
export { writePart } from './write/write-part.js';
