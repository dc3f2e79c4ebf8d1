/** How long work on a table's columns, beside its sorts, should take: corrected by what it took. */

import type { CheckedColumn } from './column.js';

/** What the work depends on most. */
type Kind = 'one column' | 'numbers' | 'text';

/**
 * Nanoseconds for each row of a column: at first as in a first call, whose code is not compiled,
 * in Node 20 on a Xeon; then as measured.
 */
const nanoseconds: Record<Kind, number> = { 'one column': 10, numbers: 80, text: 400 };

/**
 * Milliseconds that a first call takes besides, however few its rows: for text the language's
 * alphabet is made, and most loops run before they are compiled.
 */
const besides: Record<Kind, number> = { 'one column': 0, numbers: 0, text: 50 };

/** Fewer rows say little about others. */
const LEARNT_FROM = 10_000;

const MILLION = 1e6;

/** The kind of work; undefined where there is next to none, because keys are sorted as they are. */
function kindOf(columns: readonly CheckedColumn[]): Kind | undefined {
  if (columns.some(({ text, strings }) => (text ?? strings) !== undefined)) return 'text';
  const [{ valid, nans, zeros }] = columns as [CheckedColumn];
  if (columns.length > 1) return 'numbers';
  const isPlain = valid === undefined && nans === undefined && zeros === 'ordered';
  return isPlain ? undefined : 'one column';
}

/** Milliseconds that the work on these columns should take. */
export function expectedPacking(columns: readonly CheckedColumn[], rows: number): number {
  const kind = kindOf(columns);
  if (kind === undefined) return 0;
  return besides[kind] + (nanoseconds[kind] * columns.length * rows) / MILLION;
}

/** Notes what the work on these columns took. */
export function notePacking(
  columns: readonly CheckedColumn[],
  rows: number,
  milliseconds: number,
): void {
  const kind = kindOf(columns);
  // By a clock that ticks slowly, it may have taken no time.
  if (kind === undefined || milliseconds === 0) return;
  const ofRows = Math.max(milliseconds - besides[kind], milliseconds / 2);
  besides[kind] = 0;
  if (rows < LEARNT_FROM) return;
  // The geometric mean: a figure may be as many times too large as too small.
  const measured = (ofRows * MILLION) / (columns.length * rows);
  nanoseconds[kind] = Math.sqrt(nanoseconds[kind] * measured);
}
