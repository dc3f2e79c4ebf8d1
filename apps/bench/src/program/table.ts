/** A table that is printed row by row, as its rows become known. */

/** A column of a fixed width, because rows come one at a time. */
export interface TableColumn {
  readonly title: string;
  /** Characters; longer cells push the rest of their row aside. */
  readonly width: number;
  readonly align: 'left' | 'right';
}

/** The head of the table: titles, and a rule below them. */
export function formatHead(columns: readonly TableColumn[]): string {
  const titles = formatRow(
    columns,
    columns.map(({ title }) => title),
  );
  const rule = columns.map(({ width }) => '-'.repeat(width)).join('  ');
  return `${titles}\n${rule}`;
}

/** One row, without blanks at its end. Missing cells are empty. */
export function formatRow(columns: readonly TableColumn[], cells: readonly string[]): string {
  return columns
    .map(({ width, align }, i) => {
      const cell = cells[i] ?? '';
      return align === 'right' ? cell.padStart(width) : cell.padEnd(width);
    })
    .join('  ')
    .trimEnd();
}

const grouped = new Intl.NumberFormat('en-US');

/** 1234567 → "1,234,567". */
export function formatCount(count: number): string {
  return grouped.format(count);
}

/** Milliseconds in the unit that suits them: 0.01234 → "12.3 µs", 1234.5 → "1,235 ms". */
export function formatTime(milliseconds: number): string {
  const [time, unit] = milliseconds < 1 ? [milliseconds * 1000, 'µs'] : [milliseconds, 'ms'];
  return `${time >= 100 ? formatCount(Math.round(time)) : time.toPrecision(3)} ${unit}`;
}

/** How many times as fast: 3.456 → "3.46x", 34.56 → "34.6x", 345.6 → "346x". */
export function formatRatio(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : ratio < 100 ? 1 : 0)}x`;
}
