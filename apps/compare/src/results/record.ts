/** A run as a record: all measurements, with the settings and the machine. */

import type { Facts } from '../device/facts.js';
import type { Choice } from '../run/estimates.js';
import type { Cell } from '../run/events.js';
import type { Settings } from '../settings/settings.js';
import { pointsOf } from './points.js';

/** The shape of a record; a later one that differs has another number. */
const FORMAT = 'keysweep-compare/1';

export interface Results {
  /** When it began, as ISO 8601. */
  readonly date: string;
  readonly settings: Settings;
  readonly facts: Facts;
  readonly cells: readonly Cell[];
  /** The backend of 'auto' at each length. */
  readonly choices: readonly Choice[];
  /** Whether all lengths were measured; false for a run that was cancelled or failed. */
  readonly whole: boolean;
}

/** The name of a file with results. */
export const fileNameOf = ({ date }: Results, end: 'csv' | 'json' | 'png'): string =>
  `keysweep-compare-${date.slice(0, 19).replaceAll(':', '')}Z.${end}`;

/** JSON, each cell on one line. Times are in milliseconds a sort. */
export function toJson({ cells, ...head }: Results): string {
  const body = JSON.stringify({ format: FORMAT, ...head }, null, 2).slice(0, -2);
  const lines = cells.map((cell) => `    ${JSON.stringify(cell, rounded)}`);
  return `${body},\n  "cells": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** Rounded to nanoseconds. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toFixed(6)) : value;

const COLUMNS = [
  'series',
  'software',
  'keys',
  'median_ms',
  'first_quartile_ms',
  'third_quartile_ms',
  'keys_per_second',
  'times_builtin',
  'clock',
  'samples',
  'sorts_per_sample',
  'verified_sorts',
  'predicted_ms',
  'upload_ms',
  'sort_ms',
  'readback_ms',
  'problem',
] as const;

/** A line of names, then one line a cell, failed ones included. */
export function toCsv(cells: readonly Cell[]): string {
  const points = new Map(pointsOf(cells).map((point) => [point.cell, point]));
  const lines = cells.map((cell) => {
    const point = points.get(cell);
    const { phases } = cell;
    const line: Readonly<Record<(typeof COLUMNS)[number], string | number | boolean | undefined>> =
      {
        series: cell.series,
        software: cell.software,
        keys: cell.length,
        median_ms: point?.milliseconds.median,
        first_quartile_ms: point?.milliseconds.first,
        third_quartile_ms: point?.milliseconds.third,
        keys_per_second: point && Math.round(point.rate),
        times_builtin: point?.speedup,
        clock: cell.clock,
        samples: cell.samples.length,
        sorts_per_sample: cell.calls,
        verified_sorts: cell.verified,
        predicted_ms: cell.predicted,
        upload_ms: phases?.upload,
        sort_ms: phases?.sort,
        readback_ms: phases?.readback,
        problem: cell.fault ?? cell.error,
      };
    return COLUMNS.map((name) => quoted(line[name])).join(',');
  });
  return `${[COLUMNS.join(','), ...lines].join('\n')}\n`;
}

function quoted(value: string | number | boolean | undefined): string {
  const text = typeof value === 'number' ? `${Number(value.toPrecision(6))}` : `${value ?? ''}`;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
