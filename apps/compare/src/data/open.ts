/** Opens files of all kinds. */

import { blobSource, openTable, type StoredTable, type Table } from '@keysweep/files';
import type { KeyType } from 'keysweep';
import type { TextTable } from './csv.js';
import { kindOf } from './kind.js';

/** An opened file. */
export type OpenedFile =
  | { readonly kind: 'parquet' | 'arrow'; readonly table: StoredTable }
  | { readonly kind: 'csv'; readonly table: TextTable }
  | { readonly kind: 'raw'; readonly table: Table };

/**
 * Opens a file; each reader is loaded when a file for it comes.
 * @throws Error that says what is wrong with it
 */
export async function openFile(file: File, keyType: KeyType): Promise<OpenedFile> {
  const kind = kindOf(file.name);
  if (kind === 'csv') return { kind, table: await (await import('./csv.js')).openCsv(file) };
  const source = blobSource(`'${file.name}'`, file);
  if (kind === 'raw') return { kind, table: await openTable(source, { format: kind, keyType }) };
  return { kind, table: await openTable(source, { format: kind }) };
}
