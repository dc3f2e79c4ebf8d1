/** A run as a record: all measurements, with the settings and the machine. */

import type { Facts } from '../device/facts.js';
import type { Choice } from '../run/estimates.js';
import type { Cell } from '../run/events.js';
import type { Settings } from '../settings/settings.js';

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
