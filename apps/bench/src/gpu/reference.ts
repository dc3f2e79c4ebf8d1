/** Times of another program on the same GPU, as ../../references/cub.cu prints them. */

import { readFileSync } from 'node:fs';

/** One time of the other program, for random keys of 32 or 64 bits. */
export interface ReferenceTime {
  /** The program, as its lines begin: "cub". */
  readonly name: string;
  readonly operation: 'sort' | 'sortPairs';
  readonly keyType: 'u32' | 'u64';
  /** Records. */
  readonly length: number;
  readonly milliseconds: number;
}

/** The names of times in a line. Others, such as the time of a copy, are left out. */
const MEANING: Readonly<Record<string, Pick<ReferenceTime, 'operation' | 'keyType'>>> = {
  keys32: { operation: 'sort', keyType: 'u32' },
  pairs32: { operation: 'sortPairs', keyType: 'u32' },
  keys64: { operation: 'sort', keyType: 'u64' },
  pairs64: { operation: 'sortPairs', keyType: 'u64' },
};

/** @throws Error when the file is missing or has no such line. */
export function readReference(path: string): ReferenceTime[] {
  try {
    return parseReference(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`--reference ${path}: ${(error as Error).message}`);
  }
}

/**
 * The times in lines such as `cub 2^26 keys32 1.420 ms 47.25 G/s`, or several in a line, with `|`
 * between them. Other lines are left out.
 * @throws Error where there is no such line, or one breaks off.
 */
export function parseReference(text: string): ReferenceTime[] {
  const times = text.split(/\r?\n/).flatMap(parseLine);
  if (times.length === 0) throw new Error("no line such as 'cub 2^26 keys32 1.420 ms …'");
  return times;
}

function parseLine(line: string): ReferenceTime[] {
  const [, name, size, rest] = line.match(/^(\w+) 2\^(\d+) (.*)$/) ?? [];
  if (name === undefined || rest === undefined) return [];
  return rest.split('|').flatMap((part): ReferenceTime[] => {
    const [kind = '', time, unit] = part.trim().split(/\s+/);
    const meaning = MEANING[kind];
    if (meaning === undefined) return [];
    const milliseconds = Number(time);
    if (!(milliseconds > 0) || unit !== 'ms') throw new Error(`no milliseconds in '${line}'`);
    return [{ name, ...meaning, length: 2 ** Number(size), milliseconds }];
  });
}

/**
 * The time to compare with, if there is one: of several runs the fastest. Only random keys are
 * comparable.
 */
export function referenceFor(
  times: readonly ReferenceTime[],
  wanted: {
    readonly operation: string;
    readonly keyType: string;
    readonly length: number;
    readonly distribution: string;
  },
): ReferenceTime | undefined {
  if (wanted.distribution !== 'random') return undefined;
  return times
    .filter(
      ({ operation, keyType, length }) =>
        operation === wanted.operation && keyType === wanted.keyType && length === wanted.length,
    )
    .reduce<ReferenceTime | undefined>(
      (best, time) => (best && best.milliseconds <= time.milliseconds ? best : time),
      undefined,
    );
}
