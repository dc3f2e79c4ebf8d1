/** The results of the last run, kept in this browser over a reload. */

import { resultsFrom } from './checked.js';
import type { Results } from './record.js';

const NAME = 'keysweep-compare';

/** Keeps results in place of those before. Where the browser keeps nothing, neither does this. */
export function keepResults(results: Results): void {
  try {
    localStorage.setItem(NAME, JSON.stringify(results));
  } catch {
    // No storage, or none left: the results are on the page and can be saved as a file.
  }
}

/** What was kept; undefined where there is nothing, or of another version of the page. */
export function keptResults(): Results | undefined {
  try {
    return resultsFrom(JSON.parse(localStorage.getItem(NAME) ?? 'null'));
  } catch {
    return undefined;
  }
}
