/** A file's kind, known without any reader. */

export type FileKind = 'parquet' | 'arrow' | 'csv' | 'tsv' | 'raw';

/** The kind of a file by the end of its name. */
export function kindOf(name: string): FileKind {
  const end = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  if (end === 'parquet' || end === 'pq') return 'parquet';
  if (['arrow', 'arrows', 'feather', 'ipc'].includes(end ?? '')) return 'arrow';
  if (end === 'csv' || end === 'tsv') return end;
  return 'raw';
}
