/** One thread's packed counters: bits, fields, and the key that is being counted. */

import { make } from '@keysweep/compare/page/dom.js';
import { type Count, type CountersSpec, countKeys, fieldsOf } from './counters.js';
import { type Animation, digitOf, type Frame } from './frame.js';

/** The digits that the first thread of the first tile counts in the step after `frame`. */
export function digitsOfThread(
  { keys }: Animation,
  { order, digit }: Frame,
  spec: CountersSpec,
): number[] {
  if (digit === undefined) return [];
  return Array.from(order.subarray(0, spec.keysPerThread), (id) =>
    digitOf(keys[id] as number, digit),
  );
}

const binary = (value: number, bits: number): string => value.toString(2).padStart(bits, '0');

/** Draws the counters after `counted` keys. */
export function drawCounters(
  box: HTMLElement,
  digits: readonly number[],
  spec: CountersSpec,
  counted: number,
): void {
  const counts = countKeys(digits, spec);
  const latest = counts[counted - 1];
  const none = new Array<number>(counts[0]?.words.length ?? 1).fill(0);
  box.replaceChildren(
    make(
      'ol',
      { class: 'thread-keys', 'aria-label': 'The digits of the thread’s keys' },
      ...digits.map((digit, i) => keyOf(digit, spec, counts[i] as Count, i, counted)),
    ),
    ...(latest?.words ?? none).map((word, i) => wordOf(word, i, none.length, spec, latest)),
    make('p', { class: 'quiet' }, sentenceOf(latest, spec, counted)),
  );
}

function keyOf(
  digit: number,
  { digitBits }: CountersSpec,
  { rank }: Count,
  i: number,
  counted: number,
): HTMLElement {
  const state = i === counted - 1 ? 'now' : i < counted ? 'done' : undefined;
  return make(
    'li',
    { class: state },
    make('code', {}, binary(digit, digitBits)),
    make('small', {}, i < counted ? `rank ${rank}` : '…'),
  );
}

/** A word as fields of bits, the highest first. */
function wordOf(
  word: number,
  index: number,
  words: number,
  { fieldBits }: CountersSpec,
  latest: Count | undefined,
): HTMLElement {
  const fields = fieldsOf(word, fieldBits);
  const perWord = fields.length;
  const title = words === 1 ? 'The word' : index === 0 ? 'Low word' : 'High word';
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
          const isLatest = latest?.word === index && latest.shift === i * fieldBits;
          return make(
            'li',
            { class: isLatest ? 'now' : undefined },
            make('code', { 'aria-hidden': 'true' }, binary(count, fieldBits)),
            make('small', {}, `${index * perWord + i}: ${count}×`),
          );
        })
        .reverse(),
    ),
  );
}

function sentenceOf(
  latest: Count | undefined,
  { digitBits }: CountersSpec,
  counted: number,
): string {
  if (latest === undefined)
    return 'All counters are 0. Each key will add 1 to one of them: a shift and an addition.';
  const { digit, shift, rank, words, word } = latest;
  const which = words.length === 1 ? 'the word' : word === 0 ? 'the low word' : 'the high word';
  return (
    `Key ${counted} has digit ${digit} (${binary(digit, digitBits)}): its ` +
    `counter says ${rank}, which is its rank, and then 1 << ${shift} is added to ` +
    `${which}.`
  );
}
