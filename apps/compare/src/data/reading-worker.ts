/** The worker that reads one file. What it reads may be damaged, and keep it busy for ever. */

import type { KeyType } from '@keysweep/core';
import type { Column } from '@keysweep/files';
import type { KeyArray, Order } from 'keysweep';
import { type OpenedFile, openFile } from './open.js';

/** From the page: a file first, then columns of it. The type is that of raw values. */
export type ToReading =
  | { readonly kind: 'open'; readonly file: File; readonly rawType: KeyType }
  | { readonly kind: 'read'; readonly column: string }
  | { readonly kind: 'save'; readonly column: string; readonly order: Order };

/** From the worker: one answer to each. */
export type FromReading =
  | { readonly kind: 'columns'; readonly columns: readonly Column[] }
  | { readonly kind: 'keys'; readonly keys: KeyArray }
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'failed'; readonly message: string };

let opened: OpenedFile | undefined;
let name = '';

async function answer(message: ToReading): Promise<FromReading> {
  if (message.kind === 'open') {
    opened = await openFile(message.file, message.rawType);
    name = message.file.name;
    return { kind: 'columns', columns: opened.table.columns };
  }
  if (opened === undefined) throw new Error('no file is open');
  if (message.kind === 'read') {
    return { kind: 'keys', keys: await opened.table.read(message.column) };
  }
  const { sortedFile } = await import('./save.js');
  return { kind: 'file', file: await sortedFile(opened, name, message.column, message.order) };
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
