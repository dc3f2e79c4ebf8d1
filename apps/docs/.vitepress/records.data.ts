/** All records, and what each says of about a million keys. */

import { readFileSync } from 'node:fs';
import { defineLoader } from 'vitepress';
import {
  type Case,
  casesOf,
  isOfPage,
  machinesIn,
  type StoredRecord,
} from '../../../tools/checks/records.mjs';
import { ROOT } from '../pages.js';

/** The figure of a record is for a length near to a million. */
const MILLION = 10 ** 6;
const NEAR = 4;

/** Which of several cases stands for a record: plain keys, and integers before others. */
const FIRST = ['u32', 'i32', 'f32', 'f64', 'u64'];

interface Figure {
  /** How many times as fast as the built-in sort. */
  readonly times: number;
  readonly backend: string;
  /** "f32, random, 2^20". */
  readonly keys: string;
  readonly isReal: boolean;
}

export interface Row {
  /** The file, below the folder of records: MACHINE/DATE-SUBCOMMAND.json. */
  readonly file: string;
  /** ISO 8601. */
  readonly date: string;
  /** What the records' README says of the machine. */
  readonly machine: string;
  readonly isOurs: boolean;
  /** As the system or the browser calls them; '' where it does not say. */
  readonly host: string;
  readonly gpu: string;
  readonly cores: number;
  readonly figure: Figure | undefined;
}

declare const data: readonly Row[];

export { data };

export default defineLoader({
  watch: '../../bench/records/*/*.json',
  load(files): Row[] {
    const machines = machinesIn(readFileSync(`${ROOT}apps/bench/records/README.md`, 'utf8'));
    return files
      .map((file) => rowOf(file.replace(/^.*\/records\//, ''), readRecord(file), machines))
      .sort(
        (a, b) => Number(b.figure !== undefined) - Number(a.figure !== undefined) || later(a, b),
      );
  },
});

const readRecord = (file: string): StoredRecord => JSON.parse(readFileSync(file, 'utf8'));

const later = (a: Row, b: Row): number => b.date.localeCompare(a.date);

function rowOf(file: string, record: StoredRecord, machines: ReturnType<typeof machinesIn>): Row {
  const { date, machine, facts } = record;
  const known = machines.get(file.split('/', 1)[0] ?? '');
  return {
    file,
    date,
    machine: known?.description ?? '',
    isOurs: known?.isOurs ?? false,
    host: machine?.cpu ?? facts?.browser ?? '',
    gpu: gpuOf(record),
    cores: machine?.cores ?? facts?.threads ?? 0,
    figure: figureOf(casesOf(record)),
  };
}

function gpuOf(record: StoredRecord): string {
  const { webgpu, webgl2 } = record.facts?.probes ?? {};
  const described = isOfPage(record) ? (webgl2 ?? webgpu)?.capabilities?.description : undefined;
  return nameIn(described ?? record.gpu?.device ?? '');
}

/**
 * "NVIDIA H200" of "ANGLE (NVIDIA, Vulkan 1.4 (NVIDIA NVIDIA H200 (0x2335)), NVIDIA) (WebGL2)…".
 */
const nameIn = (description: string): string =>
  description
    .replace(/ \((WebGPU|WebGL2)\).*$/, '')
    .replace(/^ANGLE \([^,]*, (?:Vulkan [\d.]+ \()?(?:NVIDIA )?/, '')
    .replace(/ (\(0x|Direct3D|OpenGL|vs_).*$|-(?=h200$)/i, ' ')
    .trim();

function figureOf(cases: readonly Case[]): Figure | undefined {
  const rank = ({ isReal, keyType, distribution, length }: Case): number[] => [
    Number(!isReal),
    Number(distribution !== 'random' && !isReal),
    (FIRST.indexOf(keyType) + FIRST.length + 1) % (FIRST.length + 1),
    distance(length),
  ];
  const [first] = cases
    .filter(({ operation, length }) => operation === 'sort' && distance(length) <= Math.log(NEAR))
    .sort((a, b) => compare(rank(a), rank(b)));
  if (first === undefined) return undefined;
  const { ours, theirs, backend, keyType, distribution, length, isReal } = first;
  const keys = [keyType, distribution, length.toLocaleString('en')].join(', ');
  return { times: theirs / ours, backend, keys, isReal };
}

const distance = (length: number): number => Math.abs(Math.log(length / MILLION));

/** Compares lists by their first difference. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}
