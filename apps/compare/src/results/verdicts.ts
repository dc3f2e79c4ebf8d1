/** The outcome of a run in sentences. Pure. */

import { formatLength, formatRatio, formatTime } from '../page/format.js';
import type { Choice } from '../run/estimates.js';
import type { Cell } from '../run/events.js';
import { nameOf } from '../settings/names.js';
import type { SeriesId } from '../settings/settings.js';
import {
  type Crossover,
  crossoversOf,
  fasterThan,
  type Point,
  pointsOf,
  seriesIn,
} from './points.js';

export interface Verdict {
  readonly series: SeriesId;
  readonly text: string;
  readonly isBad: boolean;
}

/**
 * One sentence for each series but the built-in, one for each fault and error, and one for each
 * length at which keysweep would have chosen a slower backend.
 */
export function verdictsOf(cells: readonly Cell[], choices: readonly Choice[]): Verdict[] {
  const points = pointsOf(cells);
  const crossings = crossoversOf(points);
  const ofSeries = seriesIn(cells).flatMap(({ series, software }): Verdict[] => {
    const name = nameOf(series, software);
    const own = cells.filter((cell) => cell.series === series);
    const faults = own.flatMap(({ fault, length }) =>
      fault === undefined ? [] : `${name} sorted ${formatLength(length)} keys wrong: ${fault}.`,
    );
    const errors = own.flatMap(({ error, skipped, length }) =>
      error === undefined || skipped ? [] : `${name} at ${formatLength(length)} keys: ${error}.`,
    );
    const verdicts = [...faults, ...errors].map((text) => ({ series, text, isBad: true }));
    const line = points.filter((point) => point.series === series);
    if (series === 'builtin' || line.length === 0) return verdicts;
    const ours = crossings.filter((crossing) => crossing.series === series);
    return [{ series, text: sentenceOf(name, line, ours), isBad: false }, ...verdicts];
  });
  const ofChoices = choices.flatMap(({ length, backend }): Verdict[] => {
    const faster = fasterThan(points, length, backend);
    if (faster === undefined) return [];
    const text =
      `At ${formatLength(length)} keys ‘auto’ chose a slower one: ${nameOf(backend)} took ` +
      `${formatTime(faster.chosen.milliseconds.median)}, ${nameOf(faster.other.series)} ` +
      `${formatTime(faster.other.milliseconds.median)}.`;
    return [{ series: backend, text, isBad: true }];
  });
  return [...ofSeries, ...ofChoices];
}

function sentenceOf(name: string, line: readonly Point[], crossings: readonly Crossover[]): string {
  const last = crossings.at(-1);
  // A sentence about "from here on" takes its figures from there.
  const best = bestOf(line.filter(({ length }) => last?.pays !== true || length >= last.length));
  if (best?.speedup === undefined) return `${name}: nothing to compare with.`;
  const most =
    `${formatRatio(best.speedup)} at ${formatLength(best.length)} keys ` +
    `(${formatTime(best.milliseconds.median)})`;
  if (best.speedup < 1) {
    return `${name} does not beat the built-in at these lengths: at best it is ${most}.`;
  }
  if (last === undefined)
    return `${name} beats the built-in at every length measured: up to ${most}.`;
  // A crossing is interpolated: more than two digits would pretend precision.
  const about = formatLength(Number(last.length.toPrecision(2)));
  const where = last.pays ? `from about ${about} keys on` : `up to about ${about} keys`;
  return `${name} beats the built-in ${where}: up to ${most}.`;
}

function bestOf(points: readonly Point[]): Point | undefined {
  return points.reduce<Point | undefined>(
    (best, point) => ((point.speedup ?? 0) > (best?.speedup ?? 0) ? point : best),
    undefined,
  );
}
