/** Which column of a file is worth sorting: the one that is offered first. */

import { keyTraits } from '@keysweep/core';
import type { Column, Table } from '@keysweep/files';
import type { KeyArray } from 'keysweep';

/** Columns that are read for it at most: each takes as long as reading it to sort it. */
const MAX_READ = 3;
const MAX_ROWS = 2 ** 22;
/** Rows that are looked at in a column. */
const SAMPLE = 1000;

/**
 * The name of the column that is least in order already and has the most different values, in a
 * sample of its rows; undefined where no column is numeric. Long tables and the types of numbers
 * decide without reading.
 */
export async function bestColumn({ columns, read }: Table): Promise<string | undefined> {
  const numeric = columns.filter(({ keyType }) => keyType !== undefined);
  // Floats first, then the widest integers; the first of equals.
  const candidates = [...numeric].sort((a, b) => widthOf(b) - widthOf(a)).slice(0, MAX_READ);
  const [first] = candidates;
  if (first === undefined || candidates.length === 1 || first.rows > MAX_ROWS) return first?.name;
  let best = { name: first.name, worth: -1 };
  for (const { name } of candidates) {
    try {
      const worth = worthOf(await read(name));
      if (worth > best.worth) best = { name, worth };
    } catch {
      // A column with nulls, for instance: choosing it says so.
    }
  }
  return best.name;
}

const widthOf = ({ keyType }: Column): number =>
  keyType === undefined ? 0 : keyTraits(keyType).bits + (keyType.startsWith('f') ? 100 : 0);

/** Different values in a sample; nothing for a column that is in order already. */
function worthOf(keys: KeyArray): number {
  const step = Math.max(1, Math.floor(keys.length / SAMPLE));
  const sample = Array.from(
    { length: Math.min(SAMPLE, keys.length) },
    (_, i) => keys[i * step] as number | bigint,
  );
  const inOrder = sample.filter((key, i) => i > 0 && key >= (sample[i - 1] as number | bigint));
  const isSorted = inOrder.length >= 0.95 * (sample.length - 1);
  return isSorted ? 0 : new Set(sample).size;
}
