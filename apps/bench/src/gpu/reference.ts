/** Times of another program on the same GPU, as ../../references/cub-files.cu prints them. */

import { readFileSync } from 'node:fs';
import type { MeasuredType } from './inputs/distributions.js';
import { parseKeyName } from './inputs/key-files.js';

/** One time of the other program. */
export interface ReferenceTime {
  /** Whose sort it is, as its lines begin: "cub". */
  readonly name: string;
  /** Of the library, if the program says it. */
  readonly version?: string;
  readonly operation: 'sort' | 'sortPairs';
  readonly keyType: MeasuredType;
  /** Records. */
  readonly length: number;
  /** The kind of the file's keys. */
  readonly distribution: string;
  readonly milliseconds: number;
}

/** @throws Error when the file is missing or has no such line. */
export function readReference(path: string): ReferenceTime[] {
  try {
    return parseReference(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`--reference ${path}: ${(error as Error).message}`);
  }
}

const OPERATIONS = { keys: 'sort', pairs: 'sortPairs' } as const;

/**
 * The times in lines about files of keys, such as `cub f32-unit.26 keys 1.475 ms | pairs 1.930 ms`.
 * Of other lines, `CUB 3.6.0` is a version.
 * @throws Error where there is no such line, or one breaks off.
 */
export function parseReference(text: string): ReferenceTime[] {
  const [, version] = /\bCUB (\d+\.\d+\.\d+)/.exec(text) ?? [];
  const times = text.split(/\r?\n/).flatMap(parseLine);
  if (times.length === 0) throw new Error("no line such as 'cub f32-unit.26 keys 1.475 ms …'");
  return times.map((time) => ({ ...time, ...(version && { version }) }));
}

function parseLine(line: string): ReferenceTime[] {
  const [, name, file, rest] = line.match(/^([\w:]+) (\S+\.\d+) (.*)$/) ?? [];
  const keys = parseKeyName(file ?? '');
  if (name === undefined || rest === undefined || keys === undefined) return [];
  const { keyType, kind: distribution, length } = keys;
  return rest.split('|').map((part): ReferenceTime => {
    const [what = '', time, unit] = part.trim().split(/\s+/);
    const operation = OPERATIONS[what as keyof typeof OPERATIONS];
    if (operation === undefined) throw new Error(`no keys or pairs in '${line}'`);
    const milliseconds = millisecondsOf(time, unit, line);
    return { name, operation, keyType, length, distribution, milliseconds };
  });
}

function millisecondsOf(time: string | undefined, unit: string | undefined, line: string): number {
  const milliseconds = Number(time);
  if (milliseconds > 0 && unit === 'ms') return milliseconds;
  throw new Error(`no milliseconds in '${line}'`);
}

/** The distribution that the GPU makes in the same way as the files of a kind. */
export const madeAs = (kind: string): string => (kind === 'uniform' ? 'random' : kind);

/** The time to compare with, if there is one: of several runs the fastest. */
export function referenceFor(
  times: readonly ReferenceTime[],
  wanted: {
    readonly operation: string;
    readonly keyType: string;
    readonly length: number;
    readonly distribution: string;
  },
): ReferenceTime | undefined {
  return times
    .filter(
      ({ operation, keyType, length, distribution }) =>
        operation === wanted.operation &&
        keyType === wanted.keyType &&
        length === wanted.length &&
        madeAs(distribution) === madeAs(wanted.distribution),
    )
    .reduce<ReferenceTime | undefined>(
      (best, time) => (best && best.milliseconds <= time.milliseconds ? best : time),
      undefined,
    );
}
