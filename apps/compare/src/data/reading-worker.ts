/** The worker that reads one file. What it reads may be damaged, and keep it busy for ever. */

import type { KeyType } from '@keysweep/core';
import { type Column, MemoryError } from '@keysweep/files';
import type { KeyArray, Order } from 'keysweep';
import { bestColumn } from './choice.js';
import { type OpenedFile, openFile } from './open.js';

/** What is known of a file before a column of it is read. */
export interface Opened {
  readonly columns: readonly Column[];
  /** The column to begin with; undefined where none is numeric. */
  readonly best: string | undefined;
}

/** From the page: a file first, then columns of it. The type is that of raw values. */
export type ToReading =
  | { readonly kind: 'open'; readonly file: File; readonly rawType: KeyType }
  | { readonly kind: 'read'; readonly column: string }
  | { readonly kind: 'save'; readonly column: string; readonly order: Order };

/** From the worker: one answer to each. */
export type FromReading =
  | ({ readonly kind: 'columns' } & Opened)
  | { readonly kind: 'keys'; readonly keys: KeyArray }
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'failed'; readonly message: string };

let opened: OpenedFile | undefined;
let name = '';

async function answer(message: ToReading): Promise<FromReading> {
  if (message.kind === 'open') {
    name = message.file.name;
    opened = await openFile(message.file, message.rawType);
    const { table } = opened;
    return { kind: 'columns', columns: table.columns, best: await bestColumn(table) };
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
    postMessage({ kind: 'failed', message: messageOf(error) } satisfies FromReading);
  }
};

/** The page has no option for the memory of a file: the command does. */
function messageOf(error: unknown): string {
  if (!(error instanceof MemoryError)) return error instanceof Error ? error.message : `${error}`;
  const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  return (
    `'${name}' takes ${inMegabytes(error.needed)} of memory, and this page gives a file of its ` +
    `size ${inMegabytes(error.limit)}. If you trust it, sort it by the command keysweep`
  );
}
