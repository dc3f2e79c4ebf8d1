/** From key types to arrays. */

import { arrayNameOf, type KeyArray, type KeyType } from '@keysweep/core';
import { FileError } from './error.js';

/** The class of arrays of one key type. */
export interface KeyArrayClass {
  new (length: number): KeyArray;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): KeyArray;
}

/**
 * The typed array class for `keyType`.
 * @throws FileError for 'f16' where the runtime has no Float16Array
 */
export function keyArrayClass(keyType: KeyType): KeyArrayClass {
  const name = arrayNameOf(keyType);
  const found = (globalThis as unknown as Record<string, KeyArrayClass | undefined>)[name];
  if (found !== undefined) return found;
  throw new FileError(
    `${keyType} needs ${name}, which this runtime does not have (Node.js has it ` +
      'from version 24 on)',
  );
}

/** A view of the memory of `array` as bytes. */
export function bytesOf({ buffer, byteOffset, byteLength }: KeyArray): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}
