/** The twin of kernels/cpu/plain-radix.ts. */

import { at, bufferOf, numberOf, type Stage, type Twin } from './twin.js';

/** Bits of a digit, and digits of a key. */
const digitBits = ({ constants }: Stage): number => numberOf(constants, 'DIGIT_BITS');
const DIGITS = 4;

/** Where the counters of the digit at `shift` begin; where that of a key's digit is. */
export const countersOf = (stage: Stage, shift: number): number =>
  (shift / digitBits(stage)) * 2 ** digitBits(stage);
export const counterOf = (stage: Stage, key: number, shift: number): number =>
  countersOf(stage, shift) + ((key >>> shift) & (2 ** digitBits(stage) - 1));

/** Sets the counters of all digits to the number of keys with smaller ones. */
export const countDigits: Twin = (stage) => {
  const [keys, counters] = [bufferOf(stage, 'keys'), bufferOf(stage, 'counters')];
  const [bits, radix] = [digitBits(stage), 2 ** digitBits(stage)];
  for (let i = 0; i < DIGITS * radix; i++) counters[i] = 0;
  for (let i = 0; i < numberOf(stage.params, 'count'); i++) {
    const key = at(keys, i);
    for (let digit = 0; digit < DIGITS; digit++) {
      const counter = counterOf(stage, key, digit * bits);
      counters[counter] = at(counters, counter) + 1;
    }
  }
  for (let first = 0; first < DIGITS * radix; first += radix) {
    let before = 0;
    for (let counter = first; counter < first + radix; counter++) {
      const own = at(counters, counter);
      counters[counter] = before;
      before += own;
    }
  }
};

/** One pass. */
export const plainRadix: Twin = (stage) => {
  const [from, to] = [bufferOf(stage, 'from'), bufferOf(stage, 'to')];
  const counters = bufferOf(stage, 'counters');
  for (let i = 0; i < numberOf(stage.params, 'count'); i++) {
    const key = at(from, i);
    const counter = counterOf(stage, key, numberOf(stage.params, 'shift'));
    const place = at(counters, counter);
    counters[counter] = place + 1;
    to[place] = key;
  }
};
