/**
 * The program of references/native.cpp: one process for a whole comparison, which sorts on request.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { KeyArray } from '@keysweep/core';
import type { Definition } from '../inputs/definitions.js';
import type { Implementation, Outcome } from './comparison.js';

/** Where `npm run build:references` puts it. */
const NATIVE: string = fileURLToPath(new URL('../../dist/native', import.meta.url));

/** What the program was made of. */
export interface NativeVersions {
  readonly compiler: string;
  readonly highway: string;
  readonly tbb: string;
}

/** Milliseconds of one sort. */
export interface NativeTimes {
  readonly copyIn: number;
  readonly sort: number;
  readonly copyOut: number;
}

/** The line that requests a sort; native.cpp has its meaning. */
export function formatRequest(algorithm: string, definition: Definition, threads: number): string {
  const { operation, keyType, length } = definition;
  return `${operation} ${algorithm} ${keyType} ${length} ${threads}\n`;
}

/** Reads the program's first line. @throws Error when it has no versions. */
export function parseVersions(line: string): NativeVersions {
  const { compiler, highway, tbb } = parseObject(line);
  if ([compiler, highway, tbb].every((version) => typeof version === 'string')) {
    return { compiler, highway, tbb } as NativeVersions;
  }
  throw new Error(`the native program says '${line}' instead of its versions`);
}

/** Reads a response. @throws Error when it is the program's error, or has no times. */
export function parseTimes(line: string): NativeTimes {
  const { copyIn, sort, copyOut, error } = parseObject(line);
  if (error !== undefined) throw new Error(`the native program says: ${error}`);
  if ([copyIn, sort, copyOut].every((time) => Number.isFinite(time) && (time as number) >= 0)) {
    return { copyIn, sort, copyOut } as NativeTimes;
  }
  throw new Error(`the native program says '${line}' instead of its times`);
}

function parseObject(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}

/** The program while it runs. One sort at a time. */
export class NativeProgram {
  readonly versions: NativeVersions;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  /** The file that both processes have open; it has no name any more. */
  readonly #file: number;

  private constructor(
    versions: NativeVersions,
    child: ChildProcess,
    lines: AsyncIterator<string>,
    file: number,
  ) {
    this.versions = versions;
    this.#child = child;
    this.#lines = lines;
    this.#file = file;
  }

  /**
   * Starts `command`, with the path of the shared file as one more argument.
   * Rejects when it does not start, or is not that program.
   */
  static async start(command: readonly [string, ...string[]] = [NATIVE]): Promise<NativeProgram> {
    // In memory, where the system has a folder for that.
    const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'keysweep-'));
    const path = join(folder, 'keys');
    const file = openSync(path, 'w+');
    const [program, ...args] = command;
    const child = spawn(program, [...args, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    // A process that has died is noticed where its next line is missing.
    child.stdin.on('error', () => {});
    try {
      await once(child, 'spawn');
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return new NativeProgram(parseVersions(await nextLine(lines)), child, lines, file);
    } catch (error) {
      child.kill();
      closeSync(file);
      throw error;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  /**
   * Sorts `keys` in the program's memory, and writes the result over them. Rejects with the
   * program's error, or when it has ended.
   */
  async sort(
    algorithm: string,
    definition: Definition,
    keys: KeyArray,
    threads: number,
  ): Promise<Outcome> {
    const { buffer, byteOffset, byteLength, length } = keys;
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    if (writeSync(this.#file, bytes, 0, byteLength, 0) !== byteLength) {
      throw new Error('not all keys fit into the file');
    }
    this.#child.stdin?.write(formatRequest(algorithm, definition, threads));
    const times = parseTimes(await nextLine(this.#lines));
    if (readSync(this.#file, bytes, 0, byteLength, 0) !== byteLength) {
      throw new Error('the file has lost keys');
    }
    const sorted = definition.operation === 'sort';
    const result = sorted ? keys : new Uint32Array(buffer, byteOffset, length);
    return { milliseconds: times.sort, copies: { in: times.copyIn, out: times.copyOut }, result };
  }

  /** Ends the program. */
  async close(): Promise<void> {
    closeSync(this.#file);
    const ended = this.#child.exitCode !== null || this.#child.signalCode !== null;
    const exit = ended ? undefined : once(this.#child, 'exit');
    this.#child.stdin?.end();
    await exit;
  }
}

async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const { value, done } = await lines.next();
  if (done) throw new Error('the native program has ended');
  return value;
}

/** The program, or why there is none. */
export async function startNative(): Promise<NativeProgram | string> {
  if (!existsSync(NATIVE)) return 'not built: npm run build:references';
  try {
    return await NativeProgram.start();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The program's algorithms, and whether they take more than one thread. */
const ALGORITHMS: readonly (readonly [algorithm: string, parallel: boolean])[] = [
  ['std::sort', false],
  ['vqsort', false],
  ['tbb::parallel_sort', true],
  ['radix', true],
];

/** The program's algorithms as implementations. The caller closes the program. */
export function nativeImplementations(program: NativeProgram, most: number): Implementation[] {
  return ALGORITHMS.map(([algorithm, parallel]): Implementation => {
    const threads = parallel ? most : 1;
    return {
      name: algorithm === 'radix' ? 'C++ radix' : algorithm,
      threads,
      takes: ({ operation, keyType }) =>
        (operation === 'sort' && ['u32', 'f32', 'u64', 'f64'].includes(keyType)) ||
        (operation === 'argsort' && ['u32', 'f32'].includes(keyType)),
      sort: (definition, keys) => program.sort(algorithm, definition, keys, threads),
    };
  });
}
