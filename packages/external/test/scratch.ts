/** A folder for every test, and a sorter for all of them. */

import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random, runSeed } from '@keysweep/conformance/data';
import { createSorter, type Sorter } from 'keysweep';
import { afterAll, beforeAll, expect } from 'vitest';
import { scratchFolder } from '../../../tools/test/scratch-folder.js';
import type { FileReport, SortFileOptions, SortInput, SortOutput } from '../dist/index.js';
import { sortFile } from '../dist/index.js';

/** How many numbers `numbersFile` writes. */
export const LENGTH = 100_000;

export interface Scratch {
  /** The path of a file in the test's folder. */
  path(name: string): string;
  /** All names in it. */
  names(): string[];
  write(name: string, bytes: ArrayBufferView): string;
  /** Writes LENGTH random numbers of 32 bits to a file. Gives its path, and their bytes sorted. */
  numbersFile(name: string): { input: string; sorted: Buffer };
  /** Sorts 'in' to 'out' in a process that is killed when it tells of `phase` that often. */
  kill(options: object, phase?: string, count?: number): void;
  /** Sorts with one sorter for all tests, and resolves to the report. */
  sort(input: SortInput, output: SortOutput, options: SortFileOptions): Promise<FileReport>;
  sorter(): Sorter;
}

export function scratch(): Scratch {
  const path = scratchFolder();
  let sorter: Sorter;
  beforeAll(async () => {
    sorter = await createSorter();
  });
  afterAll(() => sorter.close());
  const write = (name: string, bytes: ArrayBufferView): string => {
    writeFileSync(path(name), new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return path(name);
  };
  return {
    path,
    names: () => readdirSync(path('')).sort(),
    write,
    numbersFile(name) {
      const numbers = new Random(runSeed()).fill(new Uint32Array(LENGTH));
      const input = write(name, numbers);
      return { input, sorted: Buffer.from(numbers.sort().buffer) };
    },
    kill(options, phase = 'sort', count = 3) {
      const program = fileURLToPath(new URL('killed.mjs', import.meta.url));
      const job = { input: path('in'), output: path('out'), options, phase, count };
      const { signal, stderr } = spawnSync(process.execPath, [program, JSON.stringify(job)]);
      expect({ signal, stderr: `${stderr}` }).toEqual({ signal: 'SIGKILL', stderr: '' });
    },
    async sort(input, output, options) {
      let report: FileReport | undefined;
      const onReport = (given: FileReport): void => {
        report = given;
      };
      await sortFile(input, output, { sorter, ...options, onReport });
      return report as FileReport;
    },
    sorter: () => sorter,
  };
}

/** Bytes of all files in a folder, and in those within. */
export const bytesUnder = (folder: string): number =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, `${name}`)))
    .reduce((sum, info) => sum + (info.isFile() ? info.size : 0), 0);
