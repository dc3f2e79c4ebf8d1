/** The outcome of a run in one sentence, and what belongs to it. Pure. */

import { gpuOf } from '../device/facts.js';
import { formatLength } from '../page/format.js';
import { type Crossover, crossoversOf, type Point, pointsOf } from '../results/points.js';
import type { Results } from '../results/record.js';
import { nameOf, shortNameOf } from '../settings/names.js';
import { COLUMN } from '../settings/settings.js';

/** A time to be shown as a bar. */
export interface Bar {
  readonly name: string;
  readonly milliseconds: number;
}

export interface Answer {
  /** The sentence with the number. */
  readonly headline: string;
  /** What a GPU does here, or that there is none. */
  readonly gpu: string;
  /** The longest array that was measured, and the two times of it. */
  readonly length: number;
  readonly bars: readonly Bar[];
}

/** The answer of a run, which may have ended early; undefined where nothing was compared. */
export function answerOf(results: Results, where = 'this machine'): Answer | undefined {
  const points = pointsOf(results.cells).filter(({ software }) => !software);
  const ours = ourLine(points, results);
  const longest = ours.at(-1);
  const builtin = points.find(
    ({ series, length }) => series === 'builtin' && length === longest?.length,
  );
  if (longest === undefined || builtin === undefined) return undefined;
  const gpu = gpuOf(results.facts);
  const here = `On ${where}${gpu === undefined ? ', without a GPU' : ''}`;
  return {
    headline: `${here}: ${outcomeOf(ours, results)}.`,
    gpu: gpu === undefined ? noGpu(results) : gpuSentence(gpu, points),
    length: longest.length,
    bars: [
      { name: nameOf('builtin'), milliseconds: builtin.milliseconds.median },
      {
        name: `keysweep (${shortNameOf(longest.cell.backend ?? longest.series)})`,
        milliseconds: longest.milliseconds.median,
      },
    ],
  };
}

/**
 * At each length what `sort` takes by itself, as far as it was measured. If that is the built-in
 * sort, the fastest of the others stands for it, and is at most as fast. A column of a file was
 * sorted by `sort` itself.
 */
function ourLine(points: readonly Point[], { choices }: Results): Point[] {
  const rivals = points.filter(({ series }) => series !== 'builtin' && series !== 'resident');
  const lengths = [...new Set(rivals.map(({ length }) => length))].sort((a, b) => a - b);
  return lengths.map((length) => {
    const line = rivals.filter((point) => point.length === length);
    const itself = line.find(({ series }) => series === 'auto');
    if (itself !== undefined) return itself;
    const chosen = choices.find((choice) => choice.length === length)?.backend;
    const fastest = line.reduce((a, b) => (b.rate > a.rate ? b : a));
    if (chosen !== 'builtin') return line.find(({ series }) => series === chosen) ?? fastest;
    return { ...fastest, speedup: Math.min(1, fastest.speedup ?? 0) };
  });
}

/**
 * "18 times as fast as the built-in sort at 10,000,000 keys, and faster from about 1,500 keys on":
 * each figure beside the number of keys that it is for.
 */
function outcomeOf(ours: readonly Point[], { settings }: Results): string {
  const speedupAt = (i: number): number => ours[i]?.speedup ?? 0;
  const best = ours.reduce((a, b) => ((b.speedup ?? 0) >= (a.speedup ?? 0) ? b : a));
  const times = best.speedup ?? 0;
  if (times < 1.05) return 'no faster than the built-in sort, which keysweep uses, too';
  const whose = settings.distribution === COLUMN ? ' of a file' : '';
  const at = `at ${formatLength(best.length)} keys${whose}`;
  const fast = `${timesText(times)} as fast as the built-in sort ${at}`;
  if (ours.length === 1) return fast;
  const what = `${fast}, and faster`;
  const slow = ours.findLastIndex((_, i) => speedupAt(i) <= 1);
  const next = ours[slow + 1];
  const last = crossingOf(ours);
  if (next === undefined) return `${what} up to about ${roughly(last?.length)} keys`;
  // It changes at a length between two measured ones only where another backend would be slower.
  const isBetween = speedupAt(slow) < 1 && last?.pays === true;
  return isBetween
    ? `${what} from about ${roughly(last.length)} keys on`
    : `${what} from ${formatLength(next.length)} keys on`;
}

/** A length read between two measured ones: more than two digits would pretend precision. */
const roughly = (length = 0): string => formatLength(Number(length.toPrecision(2)));

const timesText = (times: number): string =>
  times >= 1.95 && times < 2.05 ? 'twice' : `${Number(times.toPrecision(2))} times`;

/** The last crossing with the built-in sort of a line, whatever backend each point is of. */
const crossingOf = (line: readonly Point[]): Crossover | undefined =>
  crossoversOf(line.map((point) => ({ ...point, series: 'auto' }))).at(-1);

function noGpu({ facts: { probes } }: Results): string {
  const isSoftware = probes.webgpu?.available || probes.webgl2?.available;
  return isSoftware
    ? 'The browser shows no GPU, only a renderer in software.'
    : 'The browser gives this page no GPU.';
}

/** Where the GPU beats the CPU, both from array to array. */
function gpuSentence(gpu: string, points: readonly Point[]): string {
  const line = (name: 'cpu' | 'webgpu' | 'webgl2'): Point[] =>
    points.filter(({ series }) => series === name);
  const onGpu = line('webgpu').length > 0 ? line('webgpu') : line('webgl2');
  const cpu = line('cpu');
  if (onGpu.length === 0 || cpu.length === 0) return `The GPU (${gpu}) was not measured.`;
  const against = onGpu.flatMap((point) => {
    const other = cpu.find(({ length }) => length === point.length);
    return other === undefined ? [] : [{ ...point, speedup: point.rate / other.rate }];
  });
  const last = crossingOf(against);
  const end = against.at(-1);
  if (last?.pays) {
    return `The GPU (${gpu}) beats the CPU from about ${roughly(last.length)} keys on.`;
  }
  return end === undefined || (end.speedup ?? 0) < 1
    ? `The GPU (${gpu}) does not beat the CPU: the way to it and back costs more than it saves.`
    : `The GPU (${gpu}) beats the CPU at every length measured.`;
}
