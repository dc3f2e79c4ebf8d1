/** The buckets of a partition: runs, each with bits and a sign of its own. */

import { Order, stride } from './order';
import { sortRun } from './runs';
import { warmUp } from './survey';

/** The buckets of a partition, in memory; written by the host. */
@unmanaged
export class Buckets {
  /** Their bounds and bits, as `scanSpine` leaves them. */
  bounds: u32;
  count: u32;
  /** Where records lie, and as much memory for the passes. */
  home: u32;
  away: u32;
  /** 1 where sorted records end at `away`. */
  endsAway: u32;
  /** Buckets of so many records are left alone. */
  giant: u32;
  /** Orders of buckets: of those from `negativeFrom` to `negativeTo`, and of all others. */
  positive: u32;
  negative: u32;
  negativeFrom: u32;
  negativeTo: u32;
}

/** Sorts buckets `first` to `last` - 1; returns how many records they hold. Stable. */
@inline
export function sortBuckets<K, P, N>(buckets: Buckets, first: u32, last: u32, counters: usize): u32 {
  let sorted: u32 = 0;
  for (let bucket = first; bucket < last; bucket++) {
    const bound = <usize>buckets.bounds + ((<usize>bucket) << 2);
    const start = load<u32>(bound);
    const n = load<u32>(bound, 4) - start;
    if (n == 0 || n >= buckets.giant) continue;
    const isNegative = bucket >= buckets.negativeFrom && bucket < buckets.negativeTo;
    const order = changetype<Order>(<usize>(isNegative ? buckets.negative : buckets.positive));
    order.end = load<u32>(bound + ((<usize>buckets.count) << 2), 4);
    const home = <usize>buckets.home + start * stride<K, P>();
    const away = <usize>buckets.away + start * stride<K, P>();
    // Where there are passes to come: over 4 * 10^4 keys they take an eighth less so.
    if (order.end > order.begin) warmUp(away, n * stride<K, P>());
    sortRun<K, P, N>(home, away, n, buckets.endsAway, order, counters);
    sorted += n;
  }
  return sorted;
}
