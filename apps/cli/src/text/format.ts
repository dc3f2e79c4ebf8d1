/** Numbers and tables as text. */

import { printable } from '@keysweep/core';

/** 1234567 → "1,234,567", without Intl, whose first use takes 20 ms of each command's start. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Bytes in decimal units with three digits or so: 999 → "999 B", 45_200_000 → "45.2 MB". */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Milliseconds with three digits or so: 0.1234 → "0.12 ms", 12345 → "12.3 s". */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds >= 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds >= 100) return `${Math.round(milliseconds)} ms`;
  return `${milliseconds.toFixed(milliseconds >= 10 ? 1 : 2)} ms`;
}

/** An estimated time with two digits: 0.00312 → "3.1 µs", 96 → "96 ms", 1234 → "1.2 s". */
export function formatTime(milliseconds: number): string {
  const units: readonly [number, string][] = [
    [0.9995, 'µs'],
    [999.5, 'ms'],
    [Number.POSITIVE_INFINITY, 's'],
  ];
  const at = units.findIndex(([below]) => milliseconds < below);
  const value = milliseconds * 1000 ** (1 - at);
  return `${value >= 100 ? Math.round(value) : Number(value.toPrecision(2))} ${units[at]?.[1]}`;
}

/**
 * Rows of cells as lines, one a row whatever cells hold. There are two blanks between columns, and
 * none at the end of a line. The first column is aligned to the left, the others as `align` says.
 */
export function layOut(
  given: readonly (readonly string[])[],
  align: 'left' | 'right' = 'left',
): string[] {
  const rows = given.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, i) => {
        const width = widths[i] as number;
        return i > 0 && align === 'right' ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
