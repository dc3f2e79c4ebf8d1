/** `keysweep doctor`: what this machine has, and what that means for a sort. */

import { arch, availableParallelism, cpus, freemem, platform, totalmem } from 'node:os';
import {
  type BackendName,
  createSorter,
  type Probe,
  type ProfileNote,
  type Sorter,
} from 'keysweep';
import type { DoctorCommand } from '../arguments.js';
import { print } from '../io/output.js';
import { formatBytes, formatCount, formatTime, layOut } from '../text/format.js';

/** What the doctor found. This is what `--json` prints. */
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
  /** The figures that times are expected by. */
  readonly profile: ProfileNote;
  /** What 'auto' picks once it is warm. */
  readonly picks: readonly Pick[];
}

/** The backends for one kind of request, by number of keys. */
export interface Pick {
  readonly request: string;
  readonly choices: readonly {
    readonly length: number;
    readonly backend: BackendName;
    readonly reason: string;
    /** What the call is expected to take, in milliseconds. */
    readonly milliseconds: number;
  }[];
}

type PlanRequest = Parameters<Sorter['plan']>[0];

/** Keys that backends are warmed up for: enough for all that could be picked for more. */
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

/** Carries out `command`. */
export async function runDoctor(command: DoctorCommand, version: string): Promise<void> {
  const diagnosis = await diagnose(version, command.calibrate);
  await print(
    command.json ? `${JSON.stringify(diagnosis, null, 2)}\n` : formatDiagnosis(diagnosis),
  );
}

async function diagnose(version: string, calibrates: boolean): Promise<Diagnosis> {
  const sorter = await createSorter();
  try {
    // The plan relies on what the probes find, so they come first; and a start is paid once, so it is done with.
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

/** The diagnosis for a person, each line ended by a newline. */
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
    ...(probe.available ? ['works', probe.capabilities.description] : ['not here', probe.reason]),
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
      ...choices.map(({ milliseconds }) => formatTime(milliseconds)),
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
    'How long a sort is expected to take',
    `  by figures that are ${profile.name}: ${profile.reason}`,
    ...layOut(timeRows, 'right'),
    '',
    "What 'auto' picks once it is warm, by number of keys",
    ...layOut(pickRows, 'right'),
  ];
  return `${lines.join('\n')}\n`;
}

/** 100 → "100", 1e6 → "1e6": exact, and short enough for the head of a column. */
function formatLength(length: number): string {
  return length < 10_000 ? formatCount(length) : `1e${Math.log10(length)}`;
}
