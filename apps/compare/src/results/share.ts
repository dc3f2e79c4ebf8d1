/** Ways for results to leave the page: as a file, and as a link. */

import { copyText, saveBlob } from '../page/dom.js';
import { toResultHash } from './link.js';
import { fileNameOf, type Results, toJson } from './record.js';

/** Saves results as a record, which anybody may add to the project's. */
export function saveRecord(results: Results): void {
  const json = new Blob([toJson(results)], { type: 'application/json' });
  saveBlob(fileNameOf(results, 'json'), json);
}

/** Copies a link to results, and makes it the page's address. Returns what to say about it. */
export async function copyResultLink(results: Results): Promise<string> {
  const link = `${location.href.replace(/#.*$/, '')}${await toResultHash(results)}`;
  history.replaceState(undefined, '', link);
  return (await copyText(link))
    ? 'The link is on the clipboard. Whoever opens it sees this result.'
    : 'The clipboard is not available. The address of this page is the link.';
}
