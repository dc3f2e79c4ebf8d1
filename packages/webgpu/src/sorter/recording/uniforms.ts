/**
 * What the host tells a sort, as uniforms: the order of the keys, and numbers that are part of a
 * command.
 */

import { type KeyBits, type KeyType, keyTraits, keyTransform, type Order } from '@keysweep/core';
import { CONSTANTS, LAYOUTS, type Widths } from '@keysweep/kernels/wgsl';
import type {
  GPUBindGroup,
  GPUBuffer,
  GPUBufferBinding,
  GPUDevice,
} from '../../device/gpu-types.js';
import { BufferUsage } from '../../device/usage.js';

/** Buffers of the caller's that sorts use in place of buffers of their own. */
export interface SharedScratch {
  /** Usage STORAGE. Room for `maxCount` keys. */
  readonly keys: GPUBuffer;
  /** Usage STORAGE. Room for `maxCount` values, for sorters with a `valueType`. */
  readonly values?: GPUBuffer | undefined;
}

/** The part of a sorter's options that decides the order. */
export interface OrderOptions {
  /** Keys of 8 and 16 bits are in the highest bits of a word. */
  readonly keyType: KeyType;
  readonly order?: Order | undefined;
  readonly keyBits?: KeyBits | undefined;
  /** Bits of the keys' range that decide the order at least; absent: all. */
  readonly precision?: number | undefined;
  readonly maxCount: number;
  readonly label?: string | undefined;
  /** The caller's memory for the records, if any. */
  readonly scratch?: SharedScratch | undefined;
}

/** The label of `name`, a part of a sorter that may have one itself. */
export const named = (name: string, { label }: { readonly label?: string | undefined }): string =>
  label === undefined ? `keysweep ${name}` : `${label}: keysweep ${name}`;

/** Whether two keys may be ties that have to keep their order, though their bits differ. */
export function nansTie({ keyType, keyBits }: OrderOptions, { valueWords }: Widths): boolean {
  // Without values the order of two NaNs does not matter, but some of their bits may.
  return keyTraits(keyType).kind === 'float' && (valueWords > 0 || keyBits !== undefined);
}

/** How reduce-then-scan divides an array among workgroups; and when a chained scan is hybrid. */
export interface SortLimits {
  readonly maxBlocks: number;
  readonly minTiles: number;
  readonly surveyGroups: number;
  /** Fewest keys of a hybrid chained scan; 0: each is. */
  readonly minHybrid: number;
  /** Keys that it counts, about, to give its buckets room. */
  readonly countedKeys: number;
}

const NONE: SortLimits = {
  maxBlocks: 1,
  minTiles: 1,
  surveyGroups: 1,
  minHybrid: 1,
  countedKeys: 1,
};

/** A buffer with the uniform `Order` of kernels/wgsl/fragments/order.wgsl. */
export function orderBuffer(
  device: GPUDevice,
  { keyType, order, keyBits, precision = 64, maxCount, label }: OrderOptions,
  limits: Partial<SortLimits> = {},
): GPUBuffer {
  const transform = keyTransform(keyType);
  const { bits } = keyTraits(keyType);
  const wordBits = Math.max(32, bits);
  const shift = BigInt(wordBits - bits);
  const all = (1n << BigInt(wordBits)) - 1n;
  const ceiling = transform.ceiling << shift;
  const [flip, lowest, highest] =
    order === 'descending' ? [all, all ^ ceiling, all] : [0n, 0n, ceiling];
  const { begin, end } = keyBits ?? { begin: 0, end: bits };
  const wide = {
    negative: transform.negative << shift,
    positive: transform.positive << shift,
    bias: transform.bias << shift,
    flip,
    lowest,
    highest,
    mask: ((1n << BigInt(end)) - (1n << BigInt(begin))) << shift,
  };
  const mayShift = keyBits === undefined ? 1 : 0;
  const narrow = { ...NONE, ...limits, maxCount, mayShift, rangeBits: precision };

  const fields = LAYOUTS.Order;
  const buffer = device.createBuffer({
    label: named('order', { label }),
    size: fields.size,
    usage: BufferUsage.UNIFORM,
    mappedAtCreation: true,
  });
  const view = new DataView(buffer.getMappedRange());
  for (const [name, value] of Object.entries(wide)) {
    view.setBigUint64(fields[name as keyof typeof wide], value, true);
  }
  for (const [name, value] of Object.entries(narrow)) {
    view.setUint32(fields[name as keyof typeof narrow], value, true);
  }
  buffer.unmap();
  return buffer;
}

/** Distance of dynamic offsets that every device allows, in bytes. */
const STRIDE = 256;

const numberTables = new WeakMap<GPUDevice, GPUBuffer>();

/**
 * A table of the numbers 0 to 255, each where a dynamic offset can point to: 64 KiB, made at the
 * first call and shared by all sorters of `device`. A command cannot carry a number, but it can
 * carry such an offset: kernels/wgsl/fragments/command-numbers.wgsl.
 */
export function numberTable(device: GPUDevice): GPUBuffer {
  const known = numberTables.get(device);
  if (known !== undefined) return known;
  const table = device.createBuffer({
    label: 'keysweep numbers',
    size: 256 * STRIDE,
    usage: BufferUsage.UNIFORM | BufferUsage.STORAGE,
    mappedAtCreation: true,
  });
  const words = new Uint32Array(table.getMappedRange());
  for (let number = 0; number < 256; number++) words[(number * STRIDE) / 4] = number;
  table.unmap();
  numberTables.set(device, table);
  return table;
}

/** Forgets the table of `device` after a failure. Sorters that use it keep it. */
export function forgetNumbers(device: GPUDevice): void {
  numberTables.delete(device);
}

/** The binding of one number of the table; `offsetOf` says which. */
export const numberBinding = (table: GPUBuffer): GPUBufferBinding => ({ buffer: table, size: 4 });

/** The bindings of `commandNumbers`: of a count in `counts`, or of one in the command. */
export const countBindings = (
  table: GPUBuffer,
  counts: GPUBufferBinding = numberBinding(table),
): GPUBufferBinding[] => [
  ...Array.from({ length: COMMAND_NUMBERS }, () => numberBinding(table)),
  counts,
];

/** The dynamic offset that binds `number`, from 0 to 255. */
export const offsetOf = (number: number): number => number * STRIDE;

/** The bindings of a 32-bit `number` that does not change: its four bytes, lowest first. */
export const fixedNumbers = (table: GPUBuffer, number: number): GPUBufferBinding[] =>
  bytesOf(number).map((byte) => ({ ...numberBinding(table), offset: offsetOf(byte) }));

const bytesOf = (number: number): number[] =>
  [0, 8, 16, 24].map((shift) => (number >>> shift) & 255);

/** Count and offset of one sort, as a bind group and its dynamic offsets. */
export interface CountBinding {
  /** Of layout 'commandNumbers'. */
  readonly group: GPUBindGroup;
  readonly offsets: readonly number[];
}

/** Numbers of a `CountBinding`: four bytes of the count, lowest first, and the offset. */
export const COMMAND_NUMBERS = 5;

/** Numbers of a merge of two chunks: theirs, the part, and the offset. */
export const CHUNK_NUMBERS = 4;

/** Keys of a count must stay below this: its highest byte says that the count is in a buffer. */
export const COUNT_LIMIT: number = CONSTANTS.COUNT_IN_BUFFER * 2 ** 24;

/** The dynamic offsets of a `count` below COUNT_LIMIT, and of an `offset` below 64. */
export const directCount = (count: number, offset: number): number[] =>
  [...bytesOf(count), offset].map(offsetOf);

/** The dynamic offsets of a count that is word `index`, below 64, of the bound buffer. */
export const indirectCount = (index: number, offset: number): number[] =>
  [index, 0, 0, CONSTANTS.COUNT_IN_BUFFER, offset].map(offsetOf);
