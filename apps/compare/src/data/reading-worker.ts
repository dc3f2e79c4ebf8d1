/** The worker that reads one file. What it reads may be damaged, and keep it busy for ever. */

import type { KeyType } from '@keysweep/core';
import type { Column, Table } from '@keysweep/files';
import type { KeyArray } from 'keysweep';
import { openFile } from './open.js';

/** From the page: a file first, then columns of it. The type is that of raw values. */
export type ToReading =
  | { readonly kind: 'open'; readonly file: File; readonly rawType: KeyType }
  | { readonly kind: 'read'; readonly column: string };

/** From the worker: one answer to each. */
export type FromReading =
  | { readonly kind: 'columns'; readonly columns: readonly Column[] }
  | { readonly kind: 'keys'; readonly keys: KeyArray }
  | { readonly kind: 'failed'; readonly message: string };

let table: Table | undefined;

async function answer(message: ToReading): Promise<FromReading> {
  if (message.kind === 'open') {
    table = await openFile(message.file, message.rawType);
    return { kind: 'columns', columns: table.columns };
  }
  if (table === undefined) throw new Error('no file is open');
  return { kind: 'keys', keys: await table.read(message.column) };
}

self.onmessage = async ({ data }: MessageEvent<ToReading>) => {
  try {
    const given = await answer(data);
    postMessage(given, { transfer: given.kind === 'keys' ? [given.keys.buffer] : [] });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    postMessage({ kind: 'failed', message } satisfies FromReading);
  }
};
