/** Whether a file is sorted, and a checksum that does not depend on the order. */

import { checkCheck } from './open/check.js';
import { BLOCK, KeyWords } from './open/key-words.js';
import { openFiles } from './open/source.js';
import type { CheckFileOptions, FileCheck, FileInput } from './options.js';
import { storageByName } from './storage/by-name.js';

/** Bytes that are read at a time, in whole blocks of records. */
const CHUNK = 4 << 20;

/**
 * Reads a file, or several one after the other, and says whether it is sorted, and describes what
 * it holds. A file and its sorted copy have the same number of records and the same checksum.
 *
 * ```ts
 * const { misplaced, checksum } = await checkFile('sorted.bin', { record: { bytes: 100 } });
 * misplaced === -1; // sorted
 * ```
 * One read of the file, in buffers of 4 MiB or one block of 8,192 records.
 * @throws as `sortFile`
 */
export async function checkFile(
  input: FileInput | readonly FileInput[],
  options: CheckFileOptions,
): Promise<FileCheck> {
  const { paths, layout } = checkCheck(input, options);
  const { width } = layout;
  const keyWords = new KeyWords(layout);
  const count = { read: 0, written: 0 };
  const source = await openFiles({ storage: storageByName(options.storage), layout, count }, paths);
  const step = BLOCK * Math.max(1, Math.floor(CHUNK / (BLOCK * width))) * width;
  const buffer = new Uint8Array(Math.min(step, source.size));
  const order = new OrderCheck();
  let checksum = 0n;
  try {
    for (let from = 0; from < source.size; from += step) {
      options.signal?.throwIfAborted();
      const chunk = buffer.subarray(0, Math.min(step, source.size - from));
      await source.read(chunk, from);
      for (let first = 0; first < chunk.length; first += BLOCK * width) {
        const block = chunk.subarray(first, first + BLOCK * width);
        order.add(keyWords.of(block));
        checksum += BigInt(sumOf(block, width));
      }
    }
  } finally {
    await source.close();
  }
  const { misplaced, repeats } = order;
  return { records: source.size / width, misplaced, repeats, checksum };
}

/** Compares each key with the one before. */
class OrderCheck {
  misplaced = -1;
  repeats = 0;
  #records = 0;
  #last: number[] = [];

  /** Takes the next keys. */
  add(words: readonly Uint32Array[]): void {
    const length = (words[0] as Uint32Array).length;
    for (let i = 0; i < length; i++) {
      const compared = this.#records === 0 ? 1 : this.#compare(words, i);
      if (compared === 0) this.repeats++;
      if (compared < 0 && this.misplaced === -1) this.misplaced = this.#records;
      this.#records++;
    }
    this.#last = words.map((values) => values[length - 1] as number);
  }

  /** Above 0 where record `i` is above the one before, below 0 where it is below. */
  #compare(words: readonly Uint32Array[], i: number): number {
    for (let word = 0; word < words.length; word++) {
      const values = words[word] as Uint32Array;
      const before = i === 0 ? (this.#last[word] as number) : (values[i - 1] as number);
      const own = values[i] as number;
      if (own !== before) return own > before ? 1 : -1;
    }
    return 0;
  }
}

/** CRC-32 of a byte, as in ISO 3309: the polynomial is 0xEDB88320 with the lowest bit first. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/** The sum of the CRC-32 of all records of a block, which a number holds. */
function sumOf(block: Uint8Array, width: number): number {
  let sum = 0;
  for (let from = 0; from < block.length; from += width) {
    let crc = -1;
    for (let i = from; i < from + width; i++) {
      crc = (TABLE[(crc ^ (block[i] as number)) & 255] as number) ^ (crc >>> 8);
    }
    sum += ~crc >>> 0;
  }
  return sum;
}
