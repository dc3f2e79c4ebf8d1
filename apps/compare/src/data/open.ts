/** Opens files of all kinds. */

import { blobSource, type Format, openTable, type Table } from '@keysweep/files';
import type { KeyType } from 'keysweep';
import { kindOf } from './kind.js';

/**
 * Opens a file; each reader is loaded when a file for it comes.
 * @throws Error that says what is wrong with it
 */
export async function openFile(file: File, rawType: KeyType): Promise<Table> {
  const kind = kindOf(file.name);
  if (kind === 'csv') return (await import('./csv.js')).openCsv(file);
  const how: Format = kind === 'raw' ? { format: kind, keyType: rawType } : { format: kind };
  return openTable(blobSource(`'${file.name}'`, file), how);
}
