/**
 * The sorts on CPUs that the papers describe, for unsigned keys of 32 bits. Addresses are in bytes.
 */

export { bufferedRadix } from './buffered-radix';
export { mergeSort } from './merge-sort';
export { plainRadix } from './plain-radix';
