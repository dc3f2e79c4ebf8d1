/**
 * The page of `first-sorts`: opened anew for each sort. It does the sort that its address tells,
 * sends the result back, and goes where the answer says.
 */

import { sortFirst } from './first-sort.js';

/** What a page is told, in its address. */
export interface FirstTold {
  readonly sort: Parameters<typeof sortFirst>;
  /** The address of keysweep in one file, if the page should load that. */
  readonly file?: string | undefined;
}

async function sortAsTold({ sort: [who, one, seed], file }: FirstTold): Promise<object> {
  const load = file === undefined ? undefined : () => import(/* @vite-ignore */ file);
  try {
    return await sortFirst(who, one, seed, load);
  } catch (error) {
    return { error: String(error) };
  }
}

const told = decodeURIComponent(location.hash.slice(1));
const result = told === '' ? null : await sortAsTold(JSON.parse(told));
const answer = await fetch('result', { method: 'POST', body: JSON.stringify(result) });
location.href = await answer.text();
