/** What a file is: known without any reader. */

export type FileKind = 'parquet' | 'arrow' | 'csv' | 'raw';

/** What a file is, by its name's end. */
export function kindOf(name: string): FileKind {
  const end = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  if (end === 'parquet' || end === 'pq') return 'parquet';
  if (['arrow', 'arrows', 'feather', 'ipc'].includes(end ?? '')) return 'arrow';
  if (end === 'csv' || end === 'tsv') return 'csv';
  return 'raw';
}
