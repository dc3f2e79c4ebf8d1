/** The buckets of a partition: runs, each with bits and a sign of its own. */

import { Job, Order } from './blocks';
import { stride } from './order';
import { sortRun } from './runs';
import { warmUp } from './survey';

/** Sorts buckets `first` to `last` - 1 but oversized ones; returns their records. Stable. */
@inline
export function sortBuckets<K, P, N>(job: Job, first: u32, last: u32): u32 {
  const bounds = <usize>job.bounds;
  const rests = bounds + ((<usize>4) << job.width) + 4;
  let sorted: u32 = 0;
  for (let bucket = first; bucket < last; bucket++) {
    const at = (<usize>bucket) << 2;
    const start = load<u32>(bounds + at);
    const n = load<u32>(bounds + at, 4) - start;
    if (n == 0 || n >= job.oversizedFrom) continue;
    const isNegative = bucket >= job.negativesFrom && bucket < job.negativesTo;
    const order = changetype<Order>(<usize>(isNegative ? job.negativeOrder : job.positiveOrder));
    order.end = load<u32>(rests + at);
    const records = <usize>job.records + start * stride<K, P>();
    const spare = <usize>job.spare + start * stride<K, P>();
    // Where there are passes to come: their stores then find the other buffer in a cache.
    if (order.end > order.begin) warmUp(spare, n * stride<K, P>());
    sortRun<K, P, N>(records, spare, n, job.endsInSpare, order, <usize>job.counters);
    sorted += n;
  }
  return sorted;
}
