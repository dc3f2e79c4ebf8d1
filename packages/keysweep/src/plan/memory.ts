/** The memory that a request takes of the host, beside the caller's own arrays. */

import { type BackendName, keyTraits, type Probe, type RequestShape } from '@keysweep/core';
import { PACKED_MOST } from './packed.js';

/** Bytes below which a request is taken to fit, without a look at the free memory. */
export const LOOKED_AT_FROM: number = 2 ** 26;

/** Bytes a key that no request of any backend exceeds, except columns in plain TypeScript. */
export const MAX_BYTES = 64;

/** Bytes that a request takes. */
export interface MemoryUse {
  /** What the backend keeps for later requests. */
  readonly kept: number;
  /** What it gives back at the end, or to the caller. */
  readonly passing: number;
}

/**
 * Bytes of the host's memory that a backend takes for a request, by what it allocates. A probe
 * says whether the CPU's backend has its kernels.
 */
export function memoryFor(
  backend: BackendName,
  shape: RequestShape,
  probe: Probe | undefined,
): MemoryUse {
  const { length, operation } = shape;
  const result = operation === 'argsort' ? 4 : widestOf(shape) + shape.valueBytes;
  switch (backend) {
    case 'cpu':
      return probe?.available && probe.capabilities.kernels === 'plain'
        ? plainMemory(shape)
        : arenaMemory(shape);
    case 'webgpu':
      return { kept: stagingBytes(shape), passing: 0 };
    case 'webgl2':
      return {
        kept: length * (operation !== 'sort' || widestOf(shape) === 8 ? 44 : 24),
        passing: 0,
      };
    case 'builtin': {
      const isRows = operation !== 'sort' || shape.keyBits !== undefined;
      const isOneKey = shape.keyTypes.length === 1 && shape.keyBits === undefined;
      const isPacked = isOneKey && length <= PACKED_MOST;
      return {
        kept: 0,
        passing: isRows ? length * (4 + result + (isPacked ? 8 : 0)) : 0,
      };
    }
  }
}

/** Bytes of the keys of each column. */
const widthsOf = ({ keyTypes }: RequestShape): number[] =>
  keyTypes.map((keyType) => keyTraits(keyType).bits / 8);

const widestOf = (shape: RequestShape): number => Math.max(...widthsOf(shape));

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** The most that the webgpu backend uploads at a time, by a buffer of that size. */
const PIECE_BYTES = 2 ** 28;

/**
 * The most that 32-bit words take on their way to the GPU and back. Sizes of buffers are powers of
 * two; in an upload two of a size take turns.
 */
function stagingBytes(shape: RequestShape): number {
  const { length, operation, valueBytes } = shape;
  const keys = widthsOf(shape).map((width) => Math.max(4, width));
  const values = valueBytes === 0 ? [] : [Math.max(4, valueBytes)];
  const back = operation === 'argsort' ? 4 : Math.max(...keys) + sum(values);
  let bytes = 2 * length * back;
  for (const width of [4, 8]) {
    const arrays = [...keys, ...values].filter((each) => each === width).length;
    bytes += Math.min(2 * PIECE_BYTES, 2 * length * width * Math.min(2, arrays));
  }
  return bytes;
}

/** Counters, and every key of 16 bits there is, in the order of keys. */
const COUNTING_BYTES = 2 ** 20;

/** The CPU's backend counts short keys, which then need not be moved. */
function isCounted(shape: RequestShape): boolean {
  const isWhole = shape.operation === 'sort' && !shape.keyBits && shape.segmentCount === 1;
  return isWhole && widestOf(shape) <= 2;
}

/** The most that an arena holds; parts of a longer request take a quarter of it. */
const ARENA_BYTES = 2 ** 32;
const PART_BYTES = ARENA_BYTES / 4;

/** Bytes of records of 4, 8 or 16 bytes, twice; and the order between columns. */
function recordBytes(shape: RequestShape): number {
  const isWide = widestOf(shape) === 8 || shape.valueBytes === 8;
  const record = (isWide ? 8 : 4) * (shape.operation === 'sort' ? 1 : 2);
  return 2 * record + (shape.keyTypes.length > 1 ? 4 : 0);
}

/** Bytes of an arena for a whole request, but for the threads' own few mebibytes. */
const arenaBytes = (shape: RequestShape): number =>
  shape.length * recordBytes(shape) + 4 * shape.segmentCount;

/** Whether the CPU's backend has to sort a request in parts, because no arena holds it. */
export const isInParts = (shape: RequestShape): boolean =>
  !isCounted(shape) && arenaBytes(shape) > ARENA_BYTES;

function arenaMemory(shape: RequestShape): MemoryUse {
  const { length, operation, valueBytes } = shape;
  if (isCounted(shape)) return { kept: 0, passing: COUNTING_BYTES };
  const result = operation === 'argsort' ? 4 : 0;
  if (!isInParts(shape)) return { kept: arenaBytes(shape), passing: result * length };
  const whole = length * (result || widestOf(shape) + valueBytes);
  // A part of an argsort has copies of its keys, its permutation, and its rows by that.
  const copies = operation === 'argsort' ? sum(widthsOf(shape)) + 8 : 0;
  return { kept: PART_BYTES, passing: whole + (PART_BYTES / recordBytes(shape)) * copies };
}

/** Words of the keys, or indices with the words of all columns; twice, and the results. */
function plainMemory(shape: RequestShape): MemoryUse {
  if (isCounted(shape)) return { kept: 0, passing: COUNTING_BYTES };
  const { length, operation, valueBytes, segmentCount } = shape;
  const words = sum(widthsOf(shape).map((width) => Math.max(4, width)));
  const result = operation === 'argsort' ? 0 : widestOf(shape) + valueBytes;
  const isWords = operation === 'sort' && segmentCount === 1 && widestOf(shape) < 8;
  const segments = segmentCount > 1 ? 4 : 0;
  return { kept: 0, passing: length * (isWords ? 8 + result : 8 + words + segments + result) };
}
