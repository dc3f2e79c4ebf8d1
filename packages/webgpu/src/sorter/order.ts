/** The uniform `Order` of kernels/wgsl/fragments/order.wgsl: an order as numbers. */

import { type KeyBits, type KeyType, keyTraits, keyTransform, type Order } from '@keysweep/core';
import { BufferUsage } from '../device/usage.js';

/** The part of a sorter's options that decides the order. */
export interface OrderOptions {
  /** Keys of 8 and 16 bits are in the highest bits of a word. */
  readonly keyType: KeyType;
  readonly order?: Order | undefined;
  readonly keyBits?: KeyBits | undefined;
  readonly maxCount: number;
}

/** How large arrays are divided among workgroups. */
export interface Division {
  readonly maxBlocks: number;
  readonly minTiles: number;
  readonly surveyors: number;
}

const UNDIVIDED: Division = { maxBlocks: 1, minTiles: 1, surveyors: 1 };

/** A uniform buffer with the order. See words.ts for keys of 8 and 16 bits. */
export function orderBuffer(
  device: GPUDevice,
  { keyType, order, keyBits, maxCount }: OrderOptions,
  { maxBlocks, minTiles, surveyors }: Division = UNDIVIDED,
): GPUBuffer {
  const transform = keyTransform(keyType);
  const { bits } = keyTraits(keyType);
  const wordBits = Math.max(32, bits);
  const shift = BigInt(wordBits - bits);
  const all = (1n << BigInt(wordBits)) - 1n;
  const { begin, end } = keyBits ?? { begin: 0, end: bits };
  const mask = ((1n << BigInt(end)) - (1n << BigInt(begin))) << shift;
  const [negative, positive, bias, ceiling] = [
    transform.negative << shift,
    transform.positive << shift,
    transform.bias << shift,
    transform.ceiling << shift,
  ];
  const [flip, lowest, highest] =
    order === 'descending' ? [all, all ^ ceiling, all] : [0n, 0n, ceiling];
  const wide = [negative, positive, bias, flip, lowest, highest, mask];
  const mayShift = keyBits === undefined ? 1 : 0;
  const numbers = [maxBlocks, minTiles, maxCount, mayShift, surveyors, 0];

  const buffer = device.createBuffer({
    label: 'keysweep order',
    size: 8 * wide.length + 4 * numbers.length,
    usage: BufferUsage.UNIFORM,
    mappedAtCreation: true,
  });
  const view = new DataView(buffer.getMappedRange());
  for (const [i, value] of wide.entries()) view.setBigUint64(8 * i, value, true);
  for (const [i, value] of numbers.entries()) view.setUint32(8 * wide.length + 4 * i, value, true);
  buffer.unmap();
  return buffer;
}
