/** Files of keys: raw, little-endian, and named TYPE-KIND.LOG2, such as `f32-unit.26`. */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { KEY_WORDS, type MeasuredType } from './distributions.js';

/** What the name of a file says of its keys. */
export interface KeyName {
  readonly keyType: MeasuredType;
  readonly kind: string;
  /** Keys. */
  readonly length: number;
}

export interface KeyFile extends KeyName {
  readonly path: string;
}

/** Bytes that are read at once: the queue keeps a copy until it is done with them. */
const CHUNK = 2 ** 26;

/** Undefined for a name of another form. */
export function parseKeyName(name: string): KeyName | undefined {
  const [, keyType, kind, size] = name.match(/^([uf]\d\d)-([\w.-]+)\.(\d{1,2})$/) ?? [];
  if (keyType === undefined || kind === undefined || !(keyType in KEY_WORDS)) return undefined;
  return { keyType: keyType as MeasuredType, kind, length: 2 ** Number(size) };
}

/** @throws Error for a file that is missing, or whose name does not say what it has. */
export function keyFile(path: string): KeyFile {
  const name = parseKeyName(basename(path));
  if (name === undefined) {
    throw new Error(`--keys takes files named TYPE-KIND.LOG2, such as f32-unit.26: got '${path}'`);
  }
  const wanted = 4 * KEY_WORDS[name.keyType] * name.length;
  const { size } = statSync(path);
  if (size !== wanted) throw new Error(`${path} has ${size} bytes, and should have ${wanted}`);
  return { path, ...name };
}

/** Writes the keys of a file to a buffer as long as they are. */
export async function uploadKeys(
  device: GPUDevice,
  path: string,
  buffer: GPUBuffer,
): Promise<void> {
  const chunk = new Uint8Array(Math.min(CHUNK, buffer.size));
  const file = openSync(path, 'r');
  try {
    for (let at = 0; at < buffer.size; ) {
      const bytes = readSync(file, chunk, 0, chunk.length, at);
      if (bytes === 0) throw new Error(`${path} has become shorter`);
      device.queue.writeBuffer(buffer, at, chunk, 0, bytes);
      at += bytes;
      await device.queue.onSubmittedWorkDone();
    }
  } finally {
    closeSync(file);
  }
}
