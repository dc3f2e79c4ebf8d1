/**
 * Regret: how many times as long the backend that the dispatcher chooses takes as the fastest one
 * does. All backends sort the same keys in turns. The dispatcher has chosen before: by built-in
 * figures, and by those of `calibrate()`. In Node or in a page.
 */

import { makeKeys, Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { BACKEND_NAMES } from '@keysweep/core';
import { type Backend, type BackendName, createSorter, type Profile, type Sorter } from 'keysweep';
import { measure, type Round, type Way } from '../measure/runner.js';
import { copyInput, faultOf, type Input, type Result, WORKLOADS } from '../measure/workload.js';
import {
  formatCount,
  formatHead,
  formatRow,
  formatTime,
  type TableColumn,
} from '../program/table.js';
import { type Choice, choicesOf, LENGTHS, type Selection } from './definitions.js';

export interface RegretOptions extends Selection {
  /** Samples of each backend, at least one. */
  readonly samples: number;
  readonly seed: number;
  /** Whether software adapters count. */
  readonly allowSoftware: boolean;
  /** Makes the backends of a sorter. Default: those of `createSorter`. */
  readonly backends?: () => Backend[];
}

/** What one choice costs. */
export interface RegretResult extends Choice {
  /**
   * Milliseconds a call of each backend, one number a sample. A backend that was far too slow at
   * shorter lengths is missing.
   */
  readonly samples: { readonly [name in BackendName]?: readonly number[] };
  /** Calls in a sample. */
  readonly calls: { readonly [name in BackendName]?: number };
  /** Chosen by the dispatcher's built-in figures, warm. */
  readonly builtIn: Chosen;
  /** Chosen after calibrate(). */
  readonly calibrated: Chosen;
  readonly verified: boolean;
}

export interface Chosen {
  readonly backend: BackendName;
  /** Milliseconds that were expected. */
  readonly predicted: number;
  /** How many times as long as the best backend. */
  readonly regret: number;
}

export interface Regret {
  readonly results: readonly RegretResult[];
  /** What calibrate() measured. */
  readonly profile: Profile;
}

/**
 * A backend that took over GIVE_UP_FACTOR times as long as the fastest one, and over GIVE_UP_FROM
 * milliseconds, is not measured at longer lengths, unless the dispatcher chooses it.
 */
const GIVE_UP_FACTOR = 8;
const GIVE_UP_FROM = 200;

const COLUMNS: readonly TableColumn[] = [
  { title: 'operation', width: 9, align: 'left' },
  { title: 'type', width: 4, align: 'left' },
  { title: 'length', width: 10, align: 'right' },
  ...BACKEND_NAMES.map((title) => ({ title, width: 9, align: 'right' }) as const),
  { title: 'built-in', width: 14, align: 'right' },
  { title: 'calibrated', width: 14, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
];

/** Measures, prints a row for each choice and what they come to, and resolves to all of it. */
export async function measureRegret(
  options: RegretOptions,
  onResult: (result: RegretResult, profile: Profile) => void = () => {},
): Promise<Regret> {
  const { allowSoftware, backends, seed } = options;
  const random = new Random(seed);
  const choices = choicesOf(options);
  if (choices.length === 0) throw new Error(`no length is selected of ${LENGTHS.join(', ')}`);
  const makeSorter = (): Promise<Sorter> =>
    createSorter({ allowSoftware, ...(backends && { backends: backends() }) });
  const uncalibrated = await makeSorter();
  const calibrated = await makeSorter();
  try {
    const probes = await calibrated.capabilities();
    const names = (Object.keys(probes) as BackendName[]).filter((name) => {
      const probe = probes[name];
      const isSoftware = probe?.available && probe.capabilities.software;
      console.log(`${name}: ${probe?.available ? probe.capabilities.description : probe?.reason}`);
      return probe?.available && (allowSoftware || !isSoftware);
    });
    const longest = Math.max(...choices.map(({ length }) => length));
    await uncalibrated.warmUp(longest);
    await calibrated.warmUp(longest);
    const start = performance.now();
    const profile = await calibrated.calibrate();
    console.log(`calibrate() took ${formatTime(performance.now() - start)}\n`);
    // Before anything is sorted: the dispatcher corrects its figures by every sort.
    const chosen = choices.map((choice) =>
      [uncalibrated, calibrated].map((sorter) => sorter.plan(choice).steps[0]),
    );
    console.log(formatHead(COLUMNS));
    const results: RegretResult[] = [];
    for (const [i, choice] of choices.entries()) {
      const tooSlow = tooSlowFor(choice, results.at(-1));
      const measuredNames = names.filter(
        (name) => !tooSlow.has(name) || chosen[i]?.some((step) => step?.backend === name),
      );
      const measured = await measureOne(calibrated, choice, measuredNames, { ...options, random });
      const medians = new Map(
        Object.entries(measured.samples).map(([name, samples]) => [name, median(samples)]),
      );
      const best = Math.min(...medians.values());
      const [byBuiltIn, byCalibration] = (chosen[i] ?? []).map((step): Chosen => {
        if (step === undefined) throw new Error('no backend serves this');
        const { backend, milliseconds: predicted } = step;
        return { backend, predicted, regret: (medians.get(backend) ?? Number.NaN) / best };
      }) as [Chosen, Chosen];
      const result: RegretResult = {
        ...choice,
        ...measured,
        builtIn: byBuiltIn,
        calibrated: byCalibration,
      };
      results.push(result);
      onResult(result, profile);
      console.log(rowOf(result));
    }
    console.log(`\n${summaryOf(results)}`);
    return { results, profile };
  } finally {
    await Promise.all([uncalibrated.close(), calibrated.close()]);
  }
}

/** Backends that were far too slow, or not measured, for the same keys at the length before. */
function tooSlowFor(choice: Choice, before: RegretResult | undefined): ReadonlySet<BackendName> {
  const isSame = before?.operation === choice.operation && before.keyType === choice.keyType;
  if (before === undefined || !isSame || before.length >= choice.length) return new Set();
  const best = Math.min(...Object.values(before.samples).map(median));
  return new Set(
    BACKEND_NAMES.filter((name) => {
      const samples = before.samples[name];
      if (samples === undefined) return true;
      const time = median(samples);
      return time > GIVE_UP_FACTOR * best && time > GIVE_UP_FROM;
    }),
  );
}

/**
 * Calls in a sample: enough for some milliseconds, which is long beside what the clock can resolve.
 */
const callsOf = (milliseconds: number): number =>
  Math.max(1, Math.min(200, Math.floor(5 / milliseconds)));

/** If a round takes more milliseconds, one sample is taken, and none to warm up. */
const LONG = 3000;
/** Engines compile code for short arrays, which run often, in several steps. */
const SHORT = 1e4;

async function measureOne(
  sorter: Sorter,
  { operation, keyType, length }: Choice,
  all: readonly BackendName[],
  { samples, random }: { readonly samples: number; readonly random: Random },
): Promise<Pick<RegretResult, 'samples' | 'calls' | 'verified'>> {
  const calls: { [name in BackendName]?: number } = {};
  let expected = 0;
  for (const name of all) {
    const [step] = sorter.plan({ operation, keyType, length, backend: name }).steps;
    // There is no step where the length is over the backend's limit.
    if (step === undefined) continue;
    calls[name] = callsOf(step.milliseconds);
    expected += step.milliseconds * callsOf(step.milliseconds);
  }
  const { ours } = WORKLOADS[operation];
  const isLong = expected > LONG;

  function makeRound(): Round<readonly Result[]> {
    const inputs = Array.from({ length: Math.max(...Object.values(calls)) }, makeInput);
    const wayOf = ([backend, count]: [string, number]): Way<readonly Result[]> => {
      let copies: readonly Input[] = [];
      return {
        name: backend,
        prepare: () => {
          copies = inputs.slice(0, count).map(copyInput);
        },
        async run() {
          const results: Result[] = [];
          for (const copy of copies) {
            results.push(await ours(sorter, copy, { backend: backend as BackendName }));
          }
          return results;
        },
      };
    };
    return {
      ways: Object.entries(calls).map(wayOf),
      check: (results) => results.map((one, i) => faultOf(inputs[i] as Input, one)).find(Boolean),
    };
  }

  function makeInput(): Input {
    const keys = makeKeys(keyType, length, 'random', random);
    const rows = (): Uint32Array => Uint32Array.from({ length }, (_, i) => i);
    return { columns: [keys], values: operation === 'sortPairs' ? rows() : undefined };
  }

  const timings = await measure({
    name: `${operation} of ${length} ${keyType}`,
    samples: isLong ? 1 : samples,
    warmUps: isLong ? 0 : length <= SHORT ? 4 : 1,
    makeRound,
  });
  const fault = timings.find(({ milliseconds }) => milliseconds.length === 0)?.fault;
  if (fault !== undefined) throw new Error(`${operation} of ${length} ${keyType}: ${fault}`);
  return {
    samples: Object.fromEntries(
      timings.map(({ name, milliseconds }) => {
        const count = calls[name as BackendName] as number;
        return [name, milliseconds.map((taken) => taken / count)];
      }),
    ),
    calls,
    verified: timings.every(({ fault }) => fault === undefined),
  };
}

function rowOf(result: RegretResult): string {
  const { operation, keyType, length, samples, builtIn, calibrated, verified } = result;
  const times = BACKEND_NAMES.map((name) => {
    const all = samples[name];
    return all === undefined ? '' : formatTime(median(all));
  });
  const choice = ({ backend, regret }: Chosen): string => `${backend} ${regret.toFixed(2)}`;
  return formatRow(COLUMNS, [
    operation,
    keyType,
    formatCount(length),
    ...times,
    choice(builtIn),
    choice(calibrated),
    verified ? 'yes' : 'NO',
  ]);
}

/** Geometric mean and worst case of both, one a line. */
export function summaryOf(results: readonly RegretResult[]): string {
  const line = (which: 'builtIn' | 'calibrated', name: string): string => {
    const all = results.map((result) => result[which].regret);
    const mean = Math.exp(all.reduce((sum, regret) => sum + Math.log(regret), 0) / all.length);
    const worst = Math.max(...all);
    const at = results.find((result) => result[which].regret === worst);
    return (
      `${name}: mean ${mean.toFixed(3)}, worst ${worst.toFixed(2)} ` +
      `(${at?.operation} of ${formatCount(at?.length ?? 0)} ${at?.keyType} by ` +
      `${at?.[which].backend})`
    );
  };
  return [
    line('builtIn', 'Regret without calibration'),
    line('calibrated', 'Regret after calibrate()  '),
  ].join('\n');
}
