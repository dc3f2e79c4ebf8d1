/**
 * Numbers in commands: a table of the numbers 0 to 255, each where a dynamic offset can point to.
 * kernels/wgsl/fragments/command-numbers.wgsl says why.
 */

import { BufferUsage } from '../device/usage.js';

/** Distance of dynamic offsets that every device allows, in bytes. */
const STRIDE = 256;

const tables = new WeakMap<GPUDevice, GPUBuffer>();

/** The table of `device`: 64 KiB, made at the first call and shared by all its sorters. */
export function numberTable(device: GPUDevice): GPUBuffer {
  const known = tables.get(device);
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
  tables.set(device, table);
  return table;
}

/** Forgets the table of `device`: it has failed. Sorters that use it keep it. */
export function forgetNumbers(device: GPUDevice): void {
  tables.delete(device);
}

/** The binding of one number of the table, to be moved by `offsetOf`. */
export const numberBinding = (table: GPUBuffer): GPUBufferBinding => ({ buffer: table, size: 4 });

/** The dynamic offset that binds `number`, from 0 to 255. */
export const offsetOf = (number: number): number => number * STRIDE;

/** The dynamic offsets of a whole number's four bytes, lowest first. */
const byteOffsets = (value: number): number[] =>
  [0, 8, 16, 24].map((shift) => offsetOf((value >>> shift) & 255));

/** Count and offset of one sort, as bindings of a dispatch. */
export interface Given {
  /** Of layout 'commandNumbers'. */
  readonly group: GPUBindGroup;
  readonly offsets: readonly number[];
}

/** Numbers of `Given`: the bytes of the count, and the offset. */
export const GIVEN_NUMBERS = 5;

/** In the place of a count's highest byte: the count is in a buffer. No direct count is so large. */
const COUNT_IN_BUFFER = 255;

/** The dynamic offsets of a count that is known, and of an offset below 64. */
export const directCount = (count: number, offset: number): number[] => [
  ...byteOffsets(count),
  offsetOf(offset),
];

/** The dynamic offsets of a count that is word `index`, below 64, of the bound buffer. */
export const indirectCount = (index: number, offset: number): number[] => [
  ...[index, 0, 0, COUNT_IN_BUFFER, offset].map(offsetOf),
];
