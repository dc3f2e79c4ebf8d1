/** Results as the part of an address after the #: compressed, so that a message can hold it. */

import { fourDigits } from '../run/events.js';
import { resultsFrom } from './checked.js';
import type { Results } from './record.js';

const NAME = 'result=';
/** Characters of a link that is looked at. */
const MAX_LINK = 100_000;
/** Bytes of results, for a link that would grow without end. */
const MAX_BYTES = 1_000_000;

export const isResultHash = (hash: string): boolean => hash.startsWith(`#${NAME}`);

/** Results in a hash: times to four digits, without what only this machine's owner looks at. */
export async function toResultHash({ facts, cells, ...head }: Results): Promise<string> {
  const { adapter: _adapter, ...known } = facts;
  const slim = { ...head, facts: known, cells: cells.map(({ phases: _phases, ...cell }) => cell) };
  const text = JSON.stringify(slim, (_key, value) =>
    typeof value === 'number' && !Number.isInteger(value) ? fourDigits(value) : value,
  );
  const bytes = await bytesOf(
    new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw')),
  );
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const safe = letters.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return `#${NAME}${safe}`;
}

/** The results in a hash; undefined where it holds none that are whole and right. */
export async function fromResultHash(hash: string): Promise<Results | undefined> {
  if (!isResultHash(hash) || hash.length > MAX_LINK) return undefined;
  try {
    const letters = hash
      .slice(1 + NAME.length)
      .replaceAll('-', '+')
      .replaceAll('_', '/');
    const packed = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return resultsFrom(JSON.parse(new TextDecoder().decode(await bytesOf(stream))));
  } catch {
    return undefined;
  }
}

/** @throws RangeError for more than MAX_BYTES */
async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    length += value.length;
    if (length > MAX_BYTES) throw new RangeError('the results are too long');
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
