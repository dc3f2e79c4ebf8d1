/**
 * Records: keys and payloads that lie apart are put side by side before the passes, so that each
 * pass moves both with one store, and taken apart after. Floor: key, payload and record each read
 * or written once.
 */

import { ABSENT, SIGNED_32, WORDS_64 } from '../constants';
import { Job } from './blocks';

/**
 * Packs `count` records of [payload][key] from number `first` on. K is the width of both. Keys are
 * widened to K, with their sign where their format has one. ABSENT payloads become the record's
 * number.
 */
@inline
export function packRecords<K>(job: Job, first: u32, count: usize): void {
  const keyFormat = job.keyFormat;
  const valueFormat = job.valueFormat;
  const keys = elementAt(<usize>job.keys, keyFormat, first);
  const values = elementAt(<usize>job.values, valueFormat, first);
  let records = <usize>job.records + <usize>first * 2 * sizeof<K>();
  let i: usize = 0;
  if (sizeof<K>() == 4) {
    // Four records a round. All formats of 32 bits are the same bits.
    let indices = i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3));
    const step = i32x4.splat(4);
    for (const lastRound = count & ~3; i < lastRound; i += 4) {
      const four = v128.load(keys + (i << 2));
      const payloads = valueFormat == ABSENT ? indices : v128.load(values + (i << 2));
      v128.store(records, v128.shuffle<u32>(payloads, four, 0, 4, 1, 5));
      v128.store(records, v128.shuffle<u32>(payloads, four, 2, 6, 3, 7), 16);
      indices = i32x4.add(indices, step);
      records += 32;
    }
  }
  for (; i < count; i++) {
    const value = valueFormat == ABSENT ? <K>(first + <u32>i) : read<K>(values, valueFormat, i);
    store<K>(records, value);
    store<K>(records, read<K>(keys, keyFormat, i), sizeof<K>());
    records += 2 * sizeof<K>();
  }
}

/**
 * Packs `count` records from number `first` on whose payloads are the row numbers at `job.indices`,
 * and whose keys are those rows' keys: the next more significant column of a sort by several.
 */
@inline
export function packThrough<K>(job: Job, first: usize, count: usize): void {
  const keys = <usize>job.keys;
  const keyFormat = job.keyFormat;
  const indices = <usize>job.indices + (first << 2);
  let records = <usize>job.records + first * 2 * sizeof<K>();
  for (let i: usize = 0; i < count; i++) {
    const index = load<u32>(indices + (i << 2));
    store<K>(records, <K>index);
    store<K>(records, read<K>(keys, keyFormat, index), sizeof<K>());
    records += 2 * sizeof<K>();
  }
}

/**
 * Takes `count` records from number `first` on apart, each half cut to the width of its format;
 * ABSENT leaves that half out.
 */
@inline
export function unpackRecords<K>(job: Job, first: usize, count: usize): void {
  const keyFormat = job.keyFormat;
  const valueFormat = job.valueFormat;
  const keys = elementAt(<usize>job.keys, keyFormat, first);
  const values = elementAt(<usize>job.values, valueFormat, first);
  let records = <usize>job.records + first * 2 * sizeof<K>();
  let i: usize = 0;
  if (sizeof<K>() == 4) {
    for (const lastRound = count & ~3; i < lastRound; i += 4) {
      const front = v128.load(records);
      const back = v128.load(records, 16);
      if (valueFormat != ABSENT) {
        v128.store(values + (i << 2), v128.shuffle<u32>(front, back, 0, 2, 4, 6));
      }
      if (keyFormat != ABSENT) {
        v128.store(keys + (i << 2), v128.shuffle<u32>(front, back, 1, 3, 5, 7));
      }
      records += 32;
    }
  }
  for (; i < count; i++) {
    if (valueFormat != ABSENT) write<K>(values, valueFormat, i, load<K>(records));
    if (keyFormat != ABSENT) write<K>(keys, keyFormat, i, load<K>(records, sizeof<K>()));
    records += 2 * sizeof<K>();
  }
}

/** Address of element `i` of an array. */
@inline
function elementAt(array: usize, format: u32, i: usize): usize {
  return array + (i << (format == WORDS_64 ? 3 : 2));
}

@inline
function read<K>(array: usize, format: u32, i: usize): K {
  if (format == WORDS_64) return <K>load<u64>(array + (i << 3));
  if (format == SIGNED_32) return <K>load<i32>(array + (i << 2));
  return <K>load<u32>(array + (i << 2));
}

@inline
function write<K>(array: usize, format: u32, i: usize, bits: K): void {
  if (format == WORDS_64) store<u64>(array + (i << 3), <u64>bits);
  else store<u32>(array + (i << 2), <u32>bits);
}
