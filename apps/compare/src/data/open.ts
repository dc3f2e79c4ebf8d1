/** Opens files of all kinds. */

import type { KeyType } from 'keysweep';
import { type FileKind, kindOf } from './kind.js';
import type { Table } from './table.js';

const KIND_NAMES: Readonly<Record<FileKind, string>> = {
  parquet: 'Parquet',
  arrow: 'Arrow',
  csv: 'CSV',
  raw: 'raw values',
};

/**
 * Opens a file; each reader is loaded when a file for it comes.
 * @throws Error that says what is wrong with it.
 */
export async function openTable(file: File, rawType: KeyType): Promise<Table> {
  const kind = kindOf(file.name);
  try {
    switch (kind) {
      case 'parquet':
        return await (await import('./parquet.js')).openParquet(file);
      case 'arrow':
        return await (await import('./arrow.js')).openArrow(file);
      case 'csv':
        return await (await import('./csv.js')).openCsv(file);
      case 'raw':
        return await (await import('./raw.js')).openRaw(file, rawType);
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cannot read ${file.name} as ${KIND_NAMES[kind]}: ${why}`, { cause });
  }
}
