/** A folder for every test, and a sorter for all of them. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSorter, type Sorter } from 'keysweep';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { FileReport, SortFileOptions, SortInput, SortOutput } from '../dist/index.js';
import { sortFile } from '../dist/index.js';

export interface Scratch {
  /** The path of a file in the test's folder. */
  path(name: string): string;
  /** All names in it. */
  names(): string[];
  write(name: string, bytes: ArrayBufferView): string;
  /** Sorts with one sorter for all tests, and resolves to the report. */
  sort(input: SortInput, output: SortOutput, options: SortFileOptions): Promise<FileReport>;
  sorter(): Sorter;
}

export function scratch(): Scratch {
  let folder = '';
  let sorter: Sorter;
  beforeAll(async () => {
    sorter = await createSorter();
  });
  afterAll(() => sorter.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keysweep-external-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  return {
    path,
    names: () => readdirSync(folder).sort(),
    write(name, bytes) {
      writeFileSync(path(name), new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      return path(name);
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
