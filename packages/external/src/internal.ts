/**
 * @keysweep/external/internal: the steps of `sortFile`, one by one, for `@keysweep/cluster`, which
 * does them as jobs. It is no public interface: anything here may change with any version.
 */

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
} from './check.js';
export { explained } from './error.js';
export { BLOCK, columnBytes, KeyWords } from './key-words.js';
export type { Layout } from './layout.js';
export { carve, divide, partsOf, roomOf } from './memory.js';
export { newSplit } from './partition.js';
export { later, type Run } from './run.js';
export { sampleSplitters } from './sample.js';
export { secretsIn, shownLine, withoutSecretsIn } from './shown.js';
export { sortPart } from './sort-part.js';
export { writePart } from './sort-parts.js';
export { openFiles, type Source } from './source.js';
export { SPLIT_BYTES } from './split-numbers.js';
export { MOST_PARTS, type Pairs, Splitters } from './splitters.js';
export { BLOCK_BYTES } from './storage/block-file.js';
export { storageByName } from './storage/by-name.js';
export { readJson, writeJson } from './storage/json.js';
