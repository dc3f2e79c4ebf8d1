/** `report`: makes the page on the GPU benchmark out of a record of `bench --json`. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pageOf } from '../report/page.js';
import type { BenchRecord } from '../report/rates.js';

export const help =
  'report RECORD [--out FOLDER]: the page on the GPU benchmark out of a record of gpu';
const HOME = fileURLToPath(new URL('../../', import.meta.url));

export async function run(args: string[]): Promise<boolean> {
  const options = { out: { type: 'string', default: HOME } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new Error(help);
  const folder = resolve(values.out);
  const source = relative(folder, resolve(path)).split(sep).join('/');
  for (const { name, text } of pageOf(read(path), source)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(relative('.', file));
  }
  return true;
}

/** @throws Error for a person for what is no record of `bench`. */
function read(path: string): BenchRecord {
  const record = JSON.parse(readFileSync(path, 'utf8')) as Partial<BenchRecord>;
  const { gpu, results = [] } = record;
  if (gpu === undefined || results.length === 0 || results.some(({ kernels }) => !kernels)) {
    throw new Error(`${path} is no record of bench on a GPU`);
  }
  return record as BenchRecord;
}
