/** `keysweep doctor`: this machine, its backends, and what 'auto' would choose. */

import { arch, availableParallelism, cpus, freemem, platform, totalmem } from 'node:os';
import {
  type BackendName,
  createSorter,
  type Probe,
  type ProfileNote,
  type Sorter,
} from 'keysweep';
import type { DoctorCommand } from '../arguments/command.js';
import { print } from '../io/output.js';
import { formatBytes, formatCount, formatTime, layOut } from '../text/format.js';

/** The findings, as `--json` prints them. */
export interface Diagnosis {
  readonly version: string;
  readonly machine: {
    readonly node: string;
    readonly platform: string;
    readonly arch: string;
    readonly cpu: string;
    readonly cores: number;
    /** Bytes. */
    readonly memory: number;
    /** Bytes. */
    readonly freeMemory: number;
    readonly sharedArrayBuffer: boolean;
    readonly wasmThreads: boolean;
  };
  readonly backends: Readonly<Partial<Record<BackendName, Probe>>>;
  /** The profile behind the estimated times. */
  readonly profile: ProfileNote;
  /** The backends that 'auto' chooses when they are started. */
  readonly picks: readonly Pick[];
}

/** The backends for one kind of request, by number of keys. */
export interface Pick {
  readonly request: string;
  readonly choices: readonly {
    readonly length: number;
    readonly backend: BackendName;
    readonly reason: string;
    /** Estimated milliseconds of the call. */
    readonly milliseconds: number;
  }[];
}

type PlanRequest = Parameters<Sorter['plan']>[0];

/** Keys that backends are warmed up for: enough to start all of them. */
const WARM = 2 ** 22;

const LENGTHS = [10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];

const REQUESTS: readonly (readonly [label: string, request: Omit<PlanRequest, 'length'>])[] = [
  ['sort u8', { operation: 'sort', keyType: 'u8' }],
  ['sort u16', { operation: 'sort', keyType: 'u16' }],
  ['sort u32', { operation: 'sort', keyType: 'u32' }],
  ['sort f32', { operation: 'sort', keyType: 'f32' }],
  ['sort f64', { operation: 'sort', keyType: 'f64' }],
  ['sort u64', { operation: 'sort', keyType: 'u64' }],
  ['sortPairs u32', { operation: 'sortPairs', keyType: 'u32' }],
  ['sortPairs f64', { operation: 'sortPairs', keyType: 'f64' }],
  ['argsort u32', { operation: 'argsort', keyType: 'u32' }],
  ['argsort f64', { operation: 'argsort', keyType: 'f64' }],
  ['argsort i32 + f32', { operation: 'argsort', keyType: ['i32', 'f32'] }],
];

/** Runs `command`. */
export async function runDoctor(command: DoctorCommand, version: string): Promise<void> {
  const diagnosis = await diagnose(version, command.calibrate);
  await print(
    command.json ? `${JSON.stringify(diagnosis, null, 2)}\n` : formatDiagnosis(diagnosis),
  );
}

async function diagnose(version: string, calibrates: boolean): Promise<Diagnosis> {
  const sorter = await createSorter();
  try {
    // Plans need the probes' findings. The warm-up keeps start-up time out of the estimates.
    const backends = await sorter.capabilities();
    await sorter.warmUp(Math.min(WARM, LENGTHS.at(-1) as number));
    if (calibrates) await sorter.calibrate();
    const picks = REQUESTS.map(([label, request]) => ({
      request: label,
      choices: LENGTHS.map((length) => choose(sorter, { ...request, length })),
    }));
    const { profile } = sorter.plan({ keyType: 'u32', length: 0 });
    return { version, machine: describeMachine(), backends, profile, picks };
  } finally {
    await sorter.close();
  }
}

function choose(sorter: Sorter, request: PlanRequest): Pick['choices'][number] {
  const [step] = sorter.plan(request).steps;
  if (step === undefined) throw new Error(`no backend serves ${JSON.stringify(request)}`);
  const { backend, reason, milliseconds } = step;
  return { length: request.length, backend, reason, milliseconds };
}

function describeMachine(): Diagnosis['machine'] {
  return {
    node: process.versions.node,
    platform: platform(),
    arch: arch(),
    cpu: cpus()[0]?.model.trim() || 'unknown',
    cores: availableParallelism(),
    memory: totalmem(),
    freeMemory: freemem(),
    sharedArrayBuffer: typeof SharedArrayBuffer === 'function',
    wasmThreads: hasWasmThreads(),
  };
}

/** The part of the WebAssembly namespace used here; the types of Node.js do not have it. */
interface WasmNamespace {
  readonly Memory: new (limits: {
    initial: number;
    maximum: number;
    shared: boolean;
  }) => {
    readonly buffer: ArrayBufferLike;
  };
}

/** Whether WebAssembly can use memory that several threads share. */
function hasWasmThreads(): boolean {
  const { WebAssembly: wasm } = globalThis as { WebAssembly?: WasmNamespace };
  if (wasm === undefined || typeof SharedArrayBuffer !== 'function') return false;
  const { buffer } = new wasm.Memory({ initial: 1, maximum: 1, shared: true });
  return buffer instanceof SharedArrayBuffer;
}

/** The diagnosis as text, each line ended by a newline. */
export function formatDiagnosis(diagnosis: Diagnosis): string {
  const { version, machine, backends, profile, picks } = diagnosis;
  const yesNo = (has: boolean): string => (has ? 'yes' : 'no');
  const system = `Node.js ${machine.node}, ${machine.platform} ${machine.arch}`;
  const machineRows = [
    ['  processor', `${machine.cpu}, ${machine.cores} cores`],
    ['  memory', `${formatBytes(machine.memory)}, ${formatBytes(machine.freeMemory)} of it free`],
    ['  SharedArrayBuffer', yesNo(machine.sharedArrayBuffer)],
    ['  WebAssembly threads', yesNo(machine.wasmThreads)],
  ];
  const backendRows = Object.entries(backends).map(([name, probe]) => [
    `  ${name}`,
    ...(probe.available
      ? ['available', probe.capabilities.description]
      : ['not available', probe.reason]),
  ]);
  const pickRows = [
    ['  keys', ...LENGTHS.map(formatLength)],
    ...picks.map(({ request, choices }) => [
      `  ${request}`,
      ...choices.map(({ backend }) => backend),
    ]),
  ];
  const timeRows = [
    ['  keys', ...LENGTHS.map(formatLength)],
    ...picks.map(({ request, choices }) => [
      `  ${request}`,
      // Without blanks the table fits into 80 columns.
      ...choices.map(({ milliseconds }) => formatTime(milliseconds).replace(' ', '')),
    ]),
  ];
  const lines = [
    `keysweep ${version} on ${system}`,
    '',
    'This machine',
    ...layOut(machineRows),
    '',
    'Backends',
    ...layOut(backendRows),
    '',
    'Estimated time of a sort, by number of keys',
    `  profile: ${profile.name} (${profile.reason})`,
    ...layOut(timeRows, 'right'),
    '',
    "Backend that 'auto' chooses when all are started, by number of keys",
    ...layOut(pickRows, 'right'),
  ];
  return `${lines.join('\n')}\n`;
}

/** 100 → "100", 1e6 → "1e6": exact, and short enough for a column's title. */
function formatLength(length: number): string {
  return length < 10_000 ? formatCount(length) : `1e${Math.log10(length)}`;
}
