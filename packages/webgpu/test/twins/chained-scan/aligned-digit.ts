/** The twin of kernels/wgsl/fragments/aligned-digit.wgsl. */

import { CONSTANTS } from '@keysweep/kernels/wgsl';
import { clampWord, type KeyOrder } from '../order.js';

/** The digit of a word at bit `shift`, of the bits that decide the order. */
export function alignedDigit(
  word: bigint,
  order: KeyOrder,
  shift: number,
  hasNanTies: boolean,
): number {
  const decisive = (hasNanTies ? clampWord(word, order) : word) & order.mask;
  return Number(BigInt.asUintN(CONSTANTS.RADIX_BITS, decisive >> BigInt(shift)));
}
