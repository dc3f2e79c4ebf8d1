/** The memory that is counted before anything is decompressed, by frames that are made by hand. */

import { describe, expect, it } from 'vitest';
import { BROTLI_WORK, decompress, loadCodecs } from '../src/decompress.js';

describe('the memory of what decompresses', () => {
  const enough = new Error('enough');
  /** What is taken before anything is decompressed. */
  const workOf = (codec: 'ZSTD' | 'GZIP' | 'BROTLI' | 'SNAPPY', bytes: number[], size: number) => {
    let taken = 0;
    const take = (more: number): never => {
      taken += more;
      throw enough;
    };
    const part = { take, give: () => {} };
    const around = Uint8Array.from([7, ...bytes, 7, 7, 7, 7]).subarray(1, 1 + bytes.length);
    expect(() => decompress(codec, around, size, part)).toThrow(enough);
    return taken;
  };

  const MARK = [0x28, 0xb5, 0x2f, 0xfd];
  /** A block: plain, of one byte, or compressed. */
  const block = (type: number, length: number, isLast: boolean): number[] => {
    const header = Number(isLast) + 2 * type + 8 * length;
    const own = type === 1 ? 1 : length;
    return [header & 255, (header >> 8) & 255, header >> 16, ...Array(own).fill(0)];
  };

  it('goes by the codec', async () => {
    const part = { take() {}, give() {} };
    const none = () => decompress('LZ4_RAW', Uint8Array.of(1), 1, part);
    expect(() => decompress('LZO', Uint8Array.of(1), 1, part)).toThrow(
      'the compression LZO cannot',
    );
    expect(() => decompress(undefined as never, Uint8Array.of(1), 1, part)).toThrow(
      'the compression of no name cannot be read',
    );
    await loadCodecs(['SNAPPY', 'UNCOMPRESSED', 'ZSTD']);
    expect(none).not.toThrow('cannot be read');
    expect(workOf('SNAPPY', [1, 2, 3], 100)).toBe(203);
    expect(workOf('GZIP', [1, 2, 3], 100)).toBe(100);
    expect(workOf('BROTLI', [1, 2, 3], 100)).toBe(100 + BROTLI_WORK);
    expect(BROTLI_WORK).toBe(2 ** 25);
  });

  it('of ZSTD is the size that a frame states, or its window and blocks', async () => {
    await loadCodecs(['ZSTD']);
    const work = (...bytes: number[]): number => workOf('ZSTD', bytes, 0);
    // A single segment of 5 bytes, of 256 + 3, of 2^16 · 1 + 2, of 8 bytes of size.
    expect(work(...MARK, 0x20, 5, ...block(0, 5, true))).toBe(10);
    expect(work(...MARK, 0x60, 3, 0, ...block(0, 5, true))).toBe(2 * 259);
    expect(work(...MARK, 0xa0, 2, 0, 1, 0, ...block(0, 5, true))).toBe(2 * (65_536 + 2));
    expect(work(...MARK, 0xe0, 1, 0, 0, 0, 1, 0, 0, 0, ...block(0, 5, true))).toBe(
      2 * (2 ** 32 + 1),
    );
    // The window has a byte of its own: 2^10 and more, in eighths. Numbers of dictionaries follow.
    const plain = block(0, 5, true);
    expect(work(...MARK, 0x00, 0, ...plain)).toBe(2 ** 10 + 5 + 5);
    expect(work(...MARK, 0x00, (3 << 3) | 5, ...plain)).toBe(2 ** 13 + 5 * 2 ** 10 + 10);
    expect(work(...MARK, 0x01, 0, 9, ...plain)).toBe(2 ** 10 + 10);
    expect(work(...MARK, 0x02, 0, 9, 9, ...plain)).toBe(2 ** 10 + 10);
    expect(work(...MARK, 0x03, 0, 9, 9, 9, 9, ...plain)).toBe(2 ** 10 + 10);
    expect(work(...MARK, 0x43, 0, 9, 9, 9, 9, 7, 0, ...plain)).toBe(2 * (256 + 7));
    expect(work(...MARK, 0x21, 9, 6, ...plain)).toBe(12);
  });

  it('of ZSTD adds up blocks, frames, and frames that are passed over', async () => {
    await loadCodecs(['ZSTD']);
    const work = (...bytes: number[]): number => workOf('ZSTD', bytes, 0);
    const open = [...MARK, 0x00, 0];
    const blocks = [...block(0, 4, false), ...block(1, 1000, false), ...block(2, 3, true)];
    const size = 4 + 1000 + 2 ** 17;
    expect(work(...open, ...blocks)).toBe(2 ** 10 + 2 * size);
    const passed = [0x51, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 1];
    const one = [...MARK, 0x20, 5, ...block(0, 5, true)];
    const checked = [...MARK, 0x24, 5, ...block(0, 5, true), 1, 2, 3, 4];
    expect(work(...one, ...one)).toBe(20);
    expect(work(...passed, ...one)).toBe(10);
    expect(work(...one, ...passed)).toBe(10);
    expect(work(...checked, ...one)).toBe(20);
    const throws = (bytes: number[], message: string): void => {
      const act = () => decompress('ZSTD', Uint8Array.from(bytes), 1, { take() {}, give() {} });
      expect(act).toThrow(message);
    };
    throws([1, 2, 3, 4, 5, 6, 7, 8], 'are no ZSTD');
    throws(one.slice(0, 7), 'end in the middle of a block');
    throws([...MARK, 0xe0, 1, 0, 0], 'end in the middle of a block');
    throws([...one.slice(0, 6), 0, 0], 'end in the middle of a block');
  });
});
