/** Raw little-endian values. */

import type { KeyArray, KeyType } from '@keysweep/core';
import { Failure } from '../failure.js';
import { arrayClassOf, bytesOf } from '../keys.js';
import { type OnRead, readBytes } from './bytes.js';

/**
 * The values of the file at `path`, or of standard input for undefined.
 * @throws Failure when it cannot be read, or its size is no multiple of a value's.
 */
export async function readRaw(
  path: string | undefined,
  keyType: KeyType,
  onRead: OnRead,
): Promise<KeyArray> {
  const KeyArrayClass = arrayClassOf(keyType);
  const bytes = await readBytes(path, onRead);
  const width = bytesOf(keyType);
  const remainder = bytes.length % width;
  if (remainder !== 0) {
    const name = path === undefined ? 'standard input' : `'${path}'`;
    throw new Failure(
      `${name} is truncated: its ${bytes.length} bytes are no multiple of the ${width} bytes of a ${keyType} value (${remainder} left over)`,
    );
  }
  return new KeyArrayClass(bytes.buffer as ArrayBuffer, 0, bytes.length / width);
}
