/** One thread's packed counters: bits, fields, and the key that is being counted. */

import { make } from '@keysweep/compare/page/dom.js';
import {
  type Count,
  countKeys,
  DIGIT_BITS,
  FIELD_BITS,
  fieldsOf,
  KEYS_PER_THREAD,
} from './counters.js';
import { type Animation, digitOf, type Frame } from './frame.js';

/** The digits that the first thread of the first tile counts in the step after `frame`. */
export function digitsOfThread({ keys }: Animation, { order, digit }: Frame): number[] {
  if (digit === undefined) return [];
  return Array.from(order.subarray(0, KEYS_PER_THREAD), (id) => digitOf(keys[id] as number, digit));
}

const binary = (value: number, bits: number): string => value.toString(2).padStart(bits, '0');

/** Draws the counters after `counted` keys. */
export function drawCounters(box: HTMLElement, digits: readonly number[], counted: number): void {
  const counts = countKeys(digits);
  const latest = counts[counted - 1];
  const none = new Array<number>(2).fill(0);
  box.replaceChildren(
    make(
      'ol',
      { class: 'thread-keys', 'aria-label': 'The digits of the thread’s keys' },
      ...digits.map((digit, i) => keyOf(digit, counts[i] as Count, i, counted)),
    ),
    ...(latest?.words ?? none).map((word, i) => wordOf(word, i, latest)),
    make('p', { class: 'quiet' }, sentenceOf(latest, counted)),
  );
}

function keyOf(digit: number, { rank }: Count, i: number, counted: number): HTMLElement {
  const state = i === counted - 1 ? 'now' : i < counted ? 'done' : undefined;
  return make(
    'li',
    { class: state },
    make('code', {}, binary(digit, DIGIT_BITS)),
    make('small', {}, i < counted ? `rank ${rank}` : '…'),
  );
}

/** A word as fields of bits, the highest first. */
function wordOf(word: number, index: number, latest: Count | undefined): HTMLElement {
  const fields = fieldsOf(word);
  const perWord = fields.length;
  const title = index === 0 ? 'Low word' : 'High word';
  return make(
    'div',
    {},
    make(
      'p',
      { class: 'word-name' },
      title,
      make('code', {}, `0x${word.toString(16).padStart(8, '0')}`),
    ),
    make(
      'ol',
      { class: 'fields-of-word', 'aria-label': `${title}: counters, the highest digit first` },
      ...fields
        .map((count, i) => {
          const isLatest = latest?.word === index && latest.shift === i * FIELD_BITS;
          return make(
            'li',
            { class: isLatest ? 'now' : undefined },
            make('code', { 'aria-hidden': 'true' }, binary(count, FIELD_BITS)),
            make('small', {}, `${index * perWord + i}: ${count}×`),
          );
        })
        .reverse(),
    ),
  );
}

function sentenceOf(latest: Count | undefined, counted: number): string {
  if (latest === undefined)
    return 'All counters are 0. Each key will add 1 to one of them: a shift and an addition.';
  const { digit, shift, rank, word } = latest;
  const which = word === 0 ? 'the low word' : 'the high word';
  return (
    `Key ${counted} has digit ${digit} (${binary(digit, DIGIT_BITS)}): its ` +
    `counter says ${rank}, which is its rank, and then 1 << ${shift} is added to ` +
    `${which}.`
  );
}
