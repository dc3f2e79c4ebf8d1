/** Generated keys. */

import { keyArrayClass } from '@keysweep/files';
import type { KeyArray, KeyType } from 'keysweep';
import { KEY_TYPES } from '../keys.js';
import type { Distribution } from '../settings/settings.js';
import type { Words } from './random.js';

export interface KeysWanted {
  readonly keyType: KeyType;
  readonly length: number;
  readonly distribution: Distribution;
  /** How many random words are anded to make each one that is used. */
  readonly words: number;
}

/**
 * Keys by distribution. Integers take the whole range of their type. Floats are integers of 32 bits
 * (of 16 for Float16Array; with a fraction for Float64Array), so that there are no NaNs. Low
 * entropies are the bitwise and of several random words (Thearling and Smith).
 */
export function makeKeys(wanted: KeysWanted, random: Words): KeyArray {
  const { keyType, length, distribution, words } = wanted;
  const keys = new (keyArrayClass(keyType))(length);
  switch (distribution) {
    case 'random':
      fill(keys, keyType, anded(random, words));
      break;
    case 'equal':
      fill(
        keys,
        keyType,
        repeating(random, 1, () => 0),
      );
      break;
    case 'few':
      fill(
        keys,
        keyType,
        repeating(random, 16, () => random() & 15),
      );
      break;
    case 'zipf':
      fillNumbers(keys, 2 ** Math.min(KEY_TYPES[keyType].bits, 16) / 2 - 1, random);
      break;
    default:
      fill(keys, keyType, random);
      keys.sort();
      if (distribution === 'reversed') keys.reverse();
      if (distribution === 'nearly-sorted') disturb(keys, random);
  }
  return keys;
}

function anded(random: Words, words: number): Words {
  if (words === 1) return random;
  return () => {
    let word = random();
    for (let i = 1; i < words; i++) word &= random();
    return word >>> 0;
  };
}

/** One of `count` keys, drawn by `choose`. A key takes two words, so words come in pairs. */
function repeating(random: Words, count: number, choose: () => number): Words {
  const palette = Uint32Array.from({ length: 2 * count }, random);
  let [chosen, half] = [0, 0];
  return () => {
    if (half === 0) chosen = choose();
    half ^= 1;
    return palette[2 * chosen + (half ^ 1)] as number;
  };
}

function fill(keys: KeyArray, keyType: KeyType, word: Words): void {
  const { bits, isFloat } = KEY_TYPES[keyType];
  if (bits < 32) {
    // Two words a key here too, so that few different words are few different keys.
    for (let i = 0; i < keys.length; i++) {
      const low = word() & (2 ** bits - 1);
      word();
      keys[i] = isFloat ? low - 2 ** 15 : low;
    }
  } else if (isFloat) {
    const fraction = bits === 64 ? 2 ** -32 : 0;
    for (let i = 0; i < keys.length; i++) keys[i] = word() - 2 ** 31 + word() * fraction;
  } else if (bits === 64) {
    const halves = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
    for (let i = 0; i < halves.length; i++) halves[i] = word();
  } else {
    for (let i = 0; i < keys.length; i++) {
      keys[i] = word();
      word();
    }
  }
}

/** Integers from 0 to `most`; the probability of a number falls with its size. */
function fillNumbers(keys: KeyArray, most: number, random: Words): void {
  const isBig = keys instanceof BigInt64Array || keys instanceof BigUint64Array;
  const scale = Math.log(most + 1) / 2 ** 32;
  const target = keys as unknown as (number | bigint)[];
  for (let i = 0; i < keys.length; i++) {
    const number = Math.floor(Math.exp(random() * scale)) - 1;
    target[i] = isBig ? BigInt(number) : number;
  }
}

/** Exchanges two keys for every hundred. */
function disturb(keys: KeyArray, random: Words): void {
  const target = keys as unknown as unknown[];
  for (let i = 0; i < keys.length / 200; i++) {
    const [a, b] = [random() % keys.length, random() % keys.length];
    [target[a], target[b]] = [target[b], target[a]];
  }
}
