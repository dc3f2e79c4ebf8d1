/**
 * The page of `first-sorts`: opened anew for each sort. It sorts when it is asked to by
 * `sortFirst`, or as its address says, and then sends the result back.
 */

import { type FirstSort, sortFirst } from './first-sort.js';

Object.assign(globalThis, { sortFirst });
document.title = 'ready';

async function sortAsTold(told: string): Promise<void> {
  const sorted: FirstSort = await sortFirst(...(JSON.parse(told) as Parameters<typeof sortFirst>));
  await fetch('result', { method: 'POST', body: JSON.stringify(sorted) });
}

const told = decodeURIComponent(location.hash.slice(1));
if (told !== '') void sortAsTold(told);
