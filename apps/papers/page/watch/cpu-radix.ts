/** keysweep's radix sort on CPU threads, step by step: a partition, then a sort of each bucket. */

import {
  type Animation,
  type Digit,
  digitOf,
  type Frame,
  initialOrder,
  KEY_BITS,
} from './frame.js';

/** Smaller than in the CPU backend (8 bits, then two digits of 12 or three of 8), for few keys. */
const TOP: Digit = { begin: 12, bits: 4 };
const LOW: readonly Digit[] = [
  { begin: 0, bits: 6 },
  { begin: 6, bits: 6 },
];

/** Threads that take buckets. */
const THREADS = 2;

export function cpuRadix(keys: Uint16Array): Animation {
  let order = initialOrder(keys.length);
  const frames: Frame[] = [
    {
      title: 'The input',
      text:
        `Next, all threads count the keys by their top ${TOP.bits} bits, each a ` +
        'slice of the array (8 bits in the backend), and move them to their buckets.',
      order,
      digit: TOP,
    },
  ];
  order = byDigit(keys, order, TOP);
  const of = Uint8Array.from(keys, (key) => digitOf(key, TOP));
  const groups = { of, count: 2 ** TOP.bits };
  const bounds = boundsOf(of, groups.count);
  frames.push({
    title: 'In buckets',
    text:
      'Each colour is a bucket. Each bucket is in its final place, so buckets are ' +
      'sorted independently. A thread takes the next free bucket and sorts it ' +
      'digit by digit, the lowest digit first.',
    order,
    groups,
  });
  for (let bucket = 0; bucket < groups.count; bucket += THREADS) {
    const end = Math.min(bucket + THREADS, groups.count);
    for (const digit of LOW) {
      const sorted = order.slice();
      for (let b = bucket; b < end; b++) {
        const [from, to] = [bounds[b] as number, bounds[b + 1] as number];
        sorted.set(byDigit(keys, order.subarray(from, to), digit), from);
      }
      order = sorted;
      const isLast = digit === LOW.at(-1);
      const isOver = isLast && end === groups.count;
      frames.push({
        title: isOver
          ? 'Sorted'
          : `Buckets ${bucket + 1} to ${end}, bits ${digit.begin} to ` +
            `${digit.begin + digit.bits - 1}`,
        text: isOver
          ? `${KEY_BITS} bits in three digits. The partition makes buckets that fit into ` +
            'a core’s cache.'
          : isLast
            ? 'These buckets are sorted. The threads take the next ones.'
            : 'In order of the low digit. The high digit is next; equal digits keep their order.',
        order,
        groups,
      });
    }
  }
  return { keys, frames };
}

/** Where buckets begin, and the end. */
function boundsOf(of: Uint8Array, count: number): number[] {
  const bounds = new Array<number>(count + 1).fill(0);
  for (const bucket of of) bounds[bucket + 1] = (bounds[bucket + 1] as number) + 1;
  for (let b = 1; b <= count; b++) bounds[b] = (bounds[b] as number) + (bounds[b - 1] as number);
  return bounds;
}

/** Counting sort by one digit: stable. */
function byDigit(keys: Uint16Array, order: Uint16Array, digit: Digit): Uint16Array {
  const next = boundsOf(
    Uint8Array.from(order, (id) => digitOf(keys[id] as number, digit)),
    2 ** digit.bits,
  );
  const sorted = new Uint16Array(order.length);
  for (const id of order) {
    const value = digitOf(keys[id] as number, digit);
    const place = next[value] as number;
    next[value] = place + 1;
    sorted[place] = id;
  }
  return sorted;
}
