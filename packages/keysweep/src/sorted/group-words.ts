/** The words and texts that groupBy tells rows apart by. */

import { identity, type KeyType, type Order, type OrderWords } from '@keysweep/core';
import { type CheckedColumn, isValid } from '../table/column.js';
import { wordOf } from '../table/float-words.js';
import { readWords, wordsOf } from './steps.js';

/**
 * Columns of words that are in ascending order as a column is, most significant first. Rows tie
 * if all their words are equal. Texts have ranks only if `hasRanks`, because these take a sort.
 */
export function wordColumns(column: CheckedColumn, hasRanks: boolean): Uint32Array[] {
  const { numbers, valid, length, order } = column;
  const texts = textsOf(column);
  const columns: Uint32Array[] = [];
  if (numbers !== undefined) {
    const { keys, keyType } = numbers;
    const isRead = order === 'ascending' && valid === undefined;
    const words = (isRead ? readWords : wordsOf)(keys, 'ascending', keyType);
    if (column.zeros === 'equal') tieZeros(words, keyType);
    if (column.nans !== undefined) columns.push(flagNaNs(words, keyType, column.nans === 'first'));
    const halves = words.highs.length > 0 ? [words.highs, words.lows] : [words.lows];
    if (order === 'descending') for (const half of halves) invert(half);
    columns.push(...halves);
  }
  if (texts !== undefined && hasRanks) columns.push(ranksOf(texts, length, order));
  if (valid === undefined) return columns;
  const flag = Number(column.nulls === 'first');
  const flags = Uint32Array.from({ length }, (_, row) => Number(isValid(column, row)) ^ flag ^ 1);
  // Nulls tie, whatever is in their rows.
  for (const words of columns) {
    for (let row = 0; row < length; row++) if (flags[row] !== flag) words[row] = 0;
  }
  return [flags, ...columns];
}

function invert(words: Uint32Array): void {
  for (let i = 0; i < words.length; i++) words[i] = ~(words[i] as number);
}

/** A column that puts NaNs first or last. */
function flagNaNs({ lows, highs }: OrderWords, keyType: KeyType, areFirst: boolean): Uint32Array {
  const nan = wordOf(Number.NaN, keyType, 'ascending');
  const flag = Number(areFirst);
  return lows.map((low, i) => Number(low === nan.low && highs[i] === nan.high) ^ flag);
}

/** Gives −0 the word of +0, which is the next one and differs in the lower half only. */
function tieZeros({ lows, highs }: OrderWords, keyType: KeyType): void {
  const { low, high } = wordOf(-0, keyType, 'ascending');
  for (let i = 0; i < lows.length; i++) {
    if (lows[i] === low && highs[i] === high) lows[i] = low + 1;
  }
}

/** Values that are compared, and which of them are there. */
export interface Texts {
  readonly compare: (a: number, b: number) => number;
  readonly isThere: (row: number) => boolean;
}

/** The texts of a column; undefined of numbers. */
export function textsOf(column: CheckedColumn): Texts | undefined {
  const { text, strings, collator } = column;
  const isThere = (row: number): boolean => isValid(column, row);
  if (text !== undefined) return { compare: (a, b) => text.compare(a, b, 0), isThere };
  if (strings === undefined) return undefined;
  const plain = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  const compare = collator?.compare ?? plain;
  return { compare: (a, b) => compare(strings[a] as string, strings[b] as string), isThere };
}

/** The ranks of texts, dense, in an order. Those that are not there tie. */
function ranksOf({ compare: own, isThere }: Texts, length: number, order: Order): Uint32Array {
  const sign = order === 'descending' ? -1 : 1;
  const compare = (a: number, b: number): number =>
    isThere(a) && isThere(b) ? sign * own(a, b) : Number(isThere(b)) - Number(isThere(a));
  const rows = identity(length).sort(compare);
  const ranks = new Uint32Array(rows.length);
  for (let i = 1, rank = 0; i < rows.length; i++) {
    if (compare(rows[i - 1] as number, rows[i] as number) !== 0) rank++;
    ranks[rows[i] as number] = rank;
  }
  return ranks;
}
