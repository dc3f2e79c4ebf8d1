/**
 * The sorts on CPUs that the papers describe, for unsigned keys of 32 bits: what cpu/wasm is
 * measured against. Addresses are bytes. None of this is part of a published package.
 */

export { bufferedRadix } from './buffered-radix';
export { mergeSort } from './merge-sort';
export { plainRadix } from './plain-radix';
