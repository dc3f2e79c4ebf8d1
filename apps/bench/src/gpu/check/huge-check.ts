/**
 * Sorts of twice as many records as one binding holds: 2^30 keys of 32 bits, and 2^29 of 64 bits,
 * where a binding has 2 GiB less 4 bytes. Keys are made and looked at in pieces, so that the host
 * needs little memory.
 */

import { RadixSorter, type RadixSorterOptions } from '@keysweep/webgpu';
import { maxInBinding } from '@keysweep/webgpu/tuning';
import { BufferUsage, readBuffer } from '../device/buffers.js';

const { COPY_SRC, COPY_DST, STORAGE } = BufferUsage;

/** Words that are copied at a time. */
const PIECE = 2 ** 22;

/** A kind of records. Each key tells the number of the record that it came with. */
interface Kind {
  readonly name: string;
  readonly options: Omit<RadixSorterOptions, 'maxCount'>;
  readonly keyWords: 1 | 2;
  readonly valueWords: 0 | 1;
}

export const HUGE: readonly Kind[] = [
  { name: 'u32 keys', options: { keyType: 'u32' }, keyWords: 1, valueWords: 0 },
  {
    name: 'u64 keys, descending',
    options: { keyType: 'u64', order: 'descending' },
    keyWords: 2,
    valueWords: 0,
  },
  {
    name: 'u32 keys and their indices',
    options: { keyType: 'u32', valueType: 'index' },
    keyWords: 1,
    valueWords: 1,
  },
];

/** Odd, and its inverse modulo 2^32: their products with a number undo each other. */
const [FACTOR, INVERSE] = [0x9e3779b1, 0x0e8b2f51];

/** Records whose high words are the same, where keys have two. */
const ALIKE = 8;

const scattered = (number: number): number => Math.imul(number, FACTOR) >>> 0;

/** @throws Error where the sort is wrong, or the device refuses it. */
export async function checkHuge(device: GPUDevice, kind: Kind): Promise<void> {
  const { options, keyWords, valueWords } = kind;
  const widths = { keyWords, valueWords, approximate: false };
  const count = 2 * maxInBinding(device, widths) + 2;
  const made: { destroy(): void }[] = [];
  const buffer = (size: number, usage: number): GPUBuffer => {
    const one = device.createBuffer({ size, usage });
    made.push(one);
    return one;
  };
  try {
    const sorter = await RadixSorter.create(device, { ...options, maxCount: count });
    made.push(sorter);
    device.pushErrorScope('validation');
    device.pushErrorScope('out-of-memory');
    const keys = buffer(4 * keyWords * count, STORAGE | COPY_SRC | COPY_DST);
    const values = valueWords === 0 ? undefined : buffer(4 * count, STORAGE | COPY_SRC);
    await fill(device, keys, kind, count);
    const encoder = device.createCommandEncoder();
    sorter.encode(encoder, { keys, ...(values && { values }), count });
    device.queue.submit([encoder.finish()]);
    const errors = [await device.popErrorScope(), await device.popErrorScope()];
    for (const error of errors) if (error !== null) throw new Error(error.message);
    await verify(device, keys, values, kind, count);
  } finally {
    for (const one of made) one.destroy();
  }
}

async function fill(
  device: GPUDevice,
  keys: GPUBuffer,
  { keyWords }: Kind,
  count: number,
): Promise<void> {
  const words = new Uint32Array(PIECE);
  for (let start = 0; start < keyWords * count; start += PIECE) {
    const length = Math.min(PIECE, keyWords * count - start);
    for (let i = 0; i < length; i += keyWords) {
      const number = (start + i) / keyWords;
      words[i] = scattered(number);
      if (keyWords === 2) words[i + 1] = scattered(Math.floor(number / ALIKE));
    }
    device.queue.writeBuffer(keys, 4 * start, words, 0, length);
    // Copies of pieces that wait would take the host's memory.
    await device.queue.onSubmittedWorkDone();
  }
}

/**
 * Keys that rise (or fall) strictly are as many as there were, and each tells the number of a
 * record that there was: so they are the same keys.
 */
async function verify(
  device: GPUDevice,
  keys: GPUBuffer,
  values: GPUBuffer | undefined,
  { name, options, keyWords }: Kind,
  count: number,
): Promise<void> {
  const sign = options.order === 'descending' ? -1 : 1;
  const records = PIECE / keyWords;
  let [lastHigh, lastLow] = [-sign * Number.POSITIVE_INFINITY, 0];
  for (let start = 0; start < count; start += records) {
    const length = Math.min(records, count - start);
    const piece = await read(device, keys, 4 * keyWords * start, keyWords * length);
    const rows = values && (await read(device, values, 4 * start, length));
    for (let i = 0; i < length; i++) {
      const low = piece[keyWords * i] as number;
      const high = keyWords === 2 ? (piece[2 * i + 1] as number) : 0;
      const number = Math.imul(low, INVERSE) >>> 0;
      const isAfter = sign * (high - lastHigh || low - lastLow) > 0;
      const isOwn =
        number < count && (keyWords === 1 || high === scattered(Math.floor(number / ALIKE)));
      const isPair = rows === undefined || rows[i] === number;
      if (!isAfter || !isOwn || !isPair) {
        throw new Error(`${count} ${name}: record ${start + i} is wrong`);
      }
      lastHigh = high;
      lastLow = low;
    }
  }
}

const read = async (
  device: GPUDevice,
  from: GPUBuffer,
  offset: number,
  words: number,
): Promise<Uint32Array> => new Uint32Array(await readBuffer(device, from, 4 * words, offset));
