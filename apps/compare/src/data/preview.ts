/** The first values of a column, as they are in the file and in order. */

import type { KeyArray } from 'keysweep';
import { byId, make } from '../page/dom.js';
import type { Ends } from '../worker/protocol.js';

/** Values that are shown of a column. */
export const SHOWN = 12;

/** Shows the first of `keys`, and the ends of the sorted column once there are any. */
export function showPreview(keys: KeyArray, ends?: Ends): void {
  const lines: [string, string][] = [['In the file', listOf(keys, SHOWN)]];
  if (ends !== undefined) lines.push(['Sorted', endsText(ends)]);
  byId('preview').replaceChildren(
    ...lines.flatMap(([term, text]) => [make('dt', {}, term), make('dd', {}, text)]),
  );
  byId('preview').hidden = false;
}

/** The first values, and "…" where there are more. */
const listOf = (keys: KeyArray, most: number): string =>
  [...Array.from(keys.slice(0, most), String), ...(keys.length > most ? ['…'] : [])].join(', ');

/** The first and the last values; short columns are shown whole. */
function endsText({ first, last, length }: Ends): string {
  const rest = Array.from(last.slice(Math.max(0, first.length + last.length - length)), String);
  const gap = length > first.length + last.length ? ['…'] : [];
  return [...Array.from(first, String), ...gap, ...rest].join(', ');
}
