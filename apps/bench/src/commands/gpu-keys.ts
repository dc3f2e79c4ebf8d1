/** `gpu-keys`: writes files of keys as programs have them, for `gpu --keys`. */

import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runSeed } from '@keysweep/conformance/data';
import { OTHER_NAMES, REAL_NAMES } from '../gpu/inputs/real-keys.js';
import { filesIn, type NewFile, writeKeys } from '../gpu/inputs/write-keys.js';
import type { Command } from '../program/command.js';
import { lengthsOf, someOf } from '../program/options.js';
import { formatCount, formatTime } from '../program/table.js';

const INDENT = ' '.repeat(21);

const help = `Writes files of keys as programs have them: gpu-keys FOLDER. They are
raw, little-endian, and named TYPE-KIND.LOG2. gpu --keys and apps/bench/references/cub-files.cu
sort them.

  --sizes 22,24,26   powers of two (24)
  --kinds f32-unit,u64-hash
${INDENT}of ${REAL_NAMES.slice(0, 6).join(', ')},
${INDENT}${REAL_NAMES.slice(6, 12).join(', ')},
${INDENT}${REAL_NAMES.slice(12, 18).join(', ')},
${INDENT}${REAL_NAMES.slice(18).join(', ')} (these);
${INDENT}${OTHER_NAMES.slice(0, 3).join(', ')},
${INDENT}${OTHER_NAMES.slice(3).join(', ')}`;

/** @throws Error for what is no option, or has no such value. */
export function optionsOf(args: string[]): { readonly folder: string; readonly files: NewFile[] } {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { sizes: { type: 'string', default: '24' }, kinds: { type: 'string' } },
  });
  const { sizes, kinds } = values;
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) throw new Error('gpu-keys takes one FOLDER');
  const names =
    kinds === undefined ? REAL_NAMES : someOf('--kinds', kinds, [...REAL_NAMES, ...OTHER_NAMES]);
  return { folder, files: filesIn(folder, names, lengthsOf(sizes)) };
}

async function run(args: string[]): Promise<boolean> {
  const { folder, files } = optionsOf(args);
  const seed = runSeed();
  const start = performance.now();
  mkdirSync(folder, { recursive: true });
  const threads = await writeKeys(files, seed);
  const time = formatTime(performance.now() - start);
  const keys = formatCount(files.reduce((sum, { length }) => sum + length, 0));
  console.log(`${files.length} files of ${keys} keys, by ${threads} threads in ${time}`);
  console.log(`Seed:     ${seed} (KEYSWEEP_SEED repeats it)`);
  return true;
}

export const command: Command = { help, run };
