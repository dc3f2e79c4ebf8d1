/**
 * Regret: how many times as long the backend that the dispatcher chooses takes as the best one does. Every backend
 * sorts what every other does, in turns; the dispatcher is asked before, with the figures it comes with
 * and with those that `calibrate()` finds here. In Node or in a page.
 */

import { makeKeys, Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { type Backend, type BackendName, createSorter, type Profile, type Sorter } from 'keysweep';
import { formatCount, formatHead, formatRow, formatTime, type TableColumn } from '../table.js';
import { copyInput, type Input, type Result, WORKLOADS } from '../workload.js';
import { faultOf } from './check.js';
import { type Choice, choicesOf, type Selection } from './definitions.js';

export interface RegretOptions extends Selection {
  /** Samples of each backend, at least one. */
  readonly samples: number;
  readonly seed: number;
  /** Whether software adapters count. */
  readonly allowSoftware: boolean;
}

/** What one choice costs. */
export interface RegretResult extends Choice {
  /** Milliseconds a call of each backend, one number a sample. One that was far too slow at shorter lengths is missing. */
  readonly samples: { readonly [name in BackendName]?: readonly number[] };
  /** Calls in a sample. */
  readonly calls: { readonly [name in BackendName]?: number };
  /** Chosen with the figures that the dispatcher comes with, warm. */
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
  readonly profile: Profile;
  readonly calibration: number;
}

/** A backend that took so many times as long as the best, and so many milliseconds, is not asked for longer arrays. */
const HOPELESS = 8;
const HOPELESS_FROM = 200;

const COLUMNS: readonly TableColumn[] = [
  { title: 'operation', width: 9, align: 'left' },
  { title: 'type', width: 4, align: 'left' },
  { title: 'length', width: 10, align: 'right' },
  ...['webgpu', 'cpu', 'webgl2', 'builtin'].map(
    (title) => ({ title, width: 9, align: 'right' }) as const,
  ),
  { title: 'built-in', width: 14, align: 'right' },
  { title: 'calibrated', width: 14, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
];

/** Measures, prints a row for each choice and what they come to, and resolves to all of it. */
export async function measureRegret(
  makeBackends: () => readonly Backend[] | undefined,
  options: RegretOptions,
  onResult: (result: RegretResult, profile: Profile) => void = () => {},
): Promise<Regret> {
  const { allowSoftware, seed } = options;
  const random = new Random(seed);
  const choices = choicesOf(options);
  const backends = makeBackends();
  const given = backends === undefined ? {} : { backends };
  const untold = await createSorter({ ...given, allowSoftware });
  const told = await createSorter({ ...given, allowSoftware });
  try {
    const probes = await told.capabilities();
    const names = (Object.keys(probes) as BackendName[]).filter((name) => {
      const probe = probes[name];
      const isSoftware = probe?.available && probe.capabilities.software;
      console.log(`${name}: ${probe?.available ? probe.capabilities.description : probe?.reason}`);
      return probe?.available && (allowSoftware || !isSoftware);
    });
    const longest = Math.max(...choices.map(({ length }) => length));
    await untold.warmUp(longest);
    await told.warmUp(longest);
    const start = performance.now();
    const profile = await told.calibrate();
    const calibration = performance.now() - start;
    console.log(`calibrate() took ${formatTime(calibration)}\n`);
    // Now, for what is sorted from here on is learned from.
    const chosen = choices.map((choice) =>
      [untold, told].map((sorter) => sorter.plan(choice).steps[0]),
    );
    console.log(formatHead(COLUMNS));
    const results: RegretResult[] = [];
    for (const [i, choice] of choices.entries()) {
      const hopeless = hopelessAt(results.at(-1), choice);
      const asked = names.filter(
        (name) => !hopeless.has(name) || chosen[i]?.some((step) => step?.backend === name),
      );
      const measured = await measureOne(told, choice, asked, { ...options, random });
      const medians = new Map(
        Object.entries(measured.samples).map(([name, samples]) => [name, median(samples)]),
      );
      const best = Math.min(...medians.values());
      const [builtIn, calibrated] = (chosen[i] ?? []).map((step): Chosen => {
        if (step === undefined) throw new Error('no backend serves this');
        const { backend, milliseconds: predicted } = step;
        return { backend, predicted, regret: (medians.get(backend) ?? Number.NaN) / best };
      }) as [Chosen, Chosen];
      const result: RegretResult = { ...choice, ...measured, builtIn, calibrated };
      results.push(result);
      onResult(result, profile);
      console.log(rowOf(result));
    }
    console.log(`\n${summaryOf(results)}`);
    return { results, profile, calibration };
  } finally {
    await Promise.all([untold.close(), told.close()]);
  }
}

/** Backends that were hopeless for the same keys at a shorter length. */
function hopelessAt(before: RegretResult | undefined, choice: Choice): ReadonlySet<string> {
  const isSame = before?.operation === choice.operation && before.keyType === choice.keyType;
  if (before === undefined || !isSame || before.length >= choice.length) return new Set();
  const medians = Object.entries(before.samples).map(([name, all]) => [name, median(all)] as const);
  const best = Math.min(...medians.map(([, time]) => time));
  const slow = medians.filter(([, time]) => time > HOPELESS * best && time > HOPELESS_FROM);
  const left = new Set(medians.map(([name]) => name));
  const all = ['webgpu', 'cpu', 'webgl2', 'builtin'];
  return new Set([...slow.map(([name]) => name), ...all.filter((name) => !left.has(name))]);
}

/** Calls in a sample: enough for some milliseconds, which the clock can tell from nothing. */
const callsOf = (milliseconds: number): number =>
  Math.max(1, Math.min(200, Math.floor(5 / milliseconds)));

async function measureOne(
  sorter: Sorter,
  { operation, keyType, length }: Choice,
  all: readonly BackendName[],
  { samples, random }: { readonly samples: number; readonly random: Random },
): Promise<Pick<RegretResult, 'samples' | 'calls' | 'verified'>> {
  const calls: { [name in BackendName]?: number } = {};
  for (const name of all) {
    const [step] = sorter.plan({ operation, keyType, length, backend: name }).steps;
    // A backend may have a limit.
    if (step !== undefined) calls[name] = callsOf(step.milliseconds);
  }
  const names = all.filter((name) => calls[name] !== undefined);
  const { ours } = WORKLOADS[operation];
  const taken: { [name in BackendName]?: number[] } = {};
  let verified = true;
  // The first samples warm up, the engine above all, and decide how many there are of what takes long.
  let counted = samples;
  for (let sample = length <= 1e4 ? -4 : -1; sample < counted; sample++) {
    const inputs = Array.from({ length: Math.max(...Object.values(calls)) }, makeInput);
    const order = names.map(
      (_, i) => names[(i + sample + 4 * names.length) % names.length] as BackendName,
    );
    const begin = performance.now();
    for (const backend of order) {
      const copies = inputs.slice(0, calls[backend]).map(copyInput);
      const results: Result[] = [];
      const start = performance.now();
      for (const copy of copies) results.push(await ours(sorter, copy, { backend }));
      const milliseconds = (performance.now() - start) / copies.length;
      verified &&= results.every((result, i) => faultOf(inputs[i] as Input, result) === undefined);
      if (sample >= 0 || length >= 2 ** 24)
        taken[backend] = [...(taken[backend] ?? []), milliseconds];
    }
    if (performance.now() - begin > 3000) counted = Math.min(counted, 1);
  }
  return { samples: taken, calls, verified };

  function makeInput(): Input {
    const keys = makeKeys(keyType, length, 'random', random);
    const rows = (): Uint32Array => Uint32Array.from({ length }, (_, i) => i);
    return { columns: [keys], values: operation === 'sortPairs' ? rows() : undefined };
  }
}

function rowOf(result: RegretResult): string {
  const { operation, keyType, length, samples, builtIn, calibrated, verified } = result;
  const times = (['webgpu', 'cpu', 'webgl2', 'builtin'] as const).map((name) => {
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
    return `${name}: mean ${mean.toFixed(3)}, worst ${worst.toFixed(2)} (${at?.operation} of ${formatCount(at?.length ?? 0)} ${at?.keyType} by ${at?.[which].backend})`;
  };
  return `${line('builtIn', 'Regret without calibration')}\n${line('calibrated', 'Regret after calibrate()  ')}`;
}
