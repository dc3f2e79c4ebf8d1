/** Opens files of all kinds. */

import {
  blobSource,
  openTable,
  type StoredTable,
  type Table,
  type TextTable,
} from '@keysweep/files';
import type { KeyType } from 'keysweep';
import { kindOf } from './kind.js';

/** An opened file. */
export type OpenedFile =
  | { readonly kind: 'parquet' | 'arrow'; readonly table: StoredTable }
  | { readonly kind: 'csv' | 'tsv'; readonly table: TextTable }
  | { readonly kind: 'raw'; readonly table: Table };

/**
 * Opens a file; each reader is loaded when a file for it comes.
 * @throws Error that says what is wrong with it
 */
export async function openFile(file: File, keyType: KeyType): Promise<OpenedFile> {
  const kind = kindOf(file.name);
  const source = blobSource(`'${file.name}'`, file);
  if (kind === 'csv' || kind === 'tsv') {
    return { kind, table: await (await import('./csv.js')).openText(source, kind) };
  }
  if (kind === 'raw') return { kind, table: await openTable(source, { format: kind, keyType }) };
  return { kind, table: await openTable(source, { format: kind }) };
}
