/**
 * @keysweep/external/storage: where files are, temporary files that a later run can tell, and
 * outputs that appear whole. For programs that write files as `sortFile` does.
 */

export { shownAddress, startWithoutSecrets, withoutSecrets } from './shown.js';
export { isAddress, nameIn } from './storage/address.js';
export { removeTemporaries } from './storage/live.js';
export { localStorage } from './storage/local.js';
export type { Storage, StoredFile, StoredOutput, StoredStream } from './storage/storage.js';
export { writeWhole } from './storage/storage.js';
export { Target } from './storage/target.js';
export { removeLeftovers, temporaryIn } from './storage/temporary.js';
