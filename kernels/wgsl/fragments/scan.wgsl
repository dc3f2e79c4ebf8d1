// An exclusive scan over the THREADS values of a workgroup, and their sum.
//
// Reads: THREADS; `tile` and SUMS_AT of fragments/tile.wgsl. Defines: Scan, scanWorkgroup.
//
// Each step adds the values one, two and three strides before, and strides grow by four: half the
// barriers of doubling strides.
// Workgroup storage: 2 × THREADS words of `tile`, from SUMS_AT on. Barriers: between writing and
// reading the values of a step; steps alternate between two halves, so that one barrier a step is
// enough. The caller makes sure that these words are free, and has a barrier before it uses them
// again.
// Source: Hillis and Steele, "Data parallel algorithms", 1986.

/// The sum of the values of earlier threads, and of all threads.
struct Scan {
  before: u32,
  total: u32,
}

fn scanWorkgroup(thread: u32, value: u32) -> Scan {
  var sum = value;
  var half = 0u;
  for (var stride = 1u; stride < THREADS; stride *= 4u) {
    tile[SUMS_AT + half + thread] = sum;
    workgroupBarrier(); // the step's values are there
    if (thread >= stride) {
      sum += tile[SUMS_AT + half + thread - stride];
    }
    if (thread >= 2u * stride) {
      sum += tile[SUMS_AT + half + thread - 2u * stride];
    }
    if (thread >= 3u * stride) {
      sum += tile[SUMS_AT + half + thread - 3u * stride];
    }
    half = THREADS - half;
  }
  tile[SUMS_AT + half + thread] = sum;
  workgroupBarrier(); // all sums are there
  return Scan(sum - value, tile[SUMS_AT + half + THREADS - 1u]);
}
