// An exclusive scan over the THREADS values of a workgroup, and their sum.
//
// It works in 2 × THREADS words of the workgroup storage `tile`, from SUMS_AT on. Each step adds the values one, two and three strides
// before, and strides grow by four: half the barriers of doubling (Hillis and Steele, "Data parallel algorithms", 1986).
// Barriers: between writing a step's values and reading them; two halves take turns, so that one a step is enough.
// The caller sees to it that nobody still needs what is there, and puts a barrier before it is used again.

struct Scan {
  before: u32,
  total: u32,
}

fn scanWorkgroup(thread: u32, value: u32) -> Scan {
  var sum = value;
  var half = 0u;
  for (var stride = 1u; stride < THREADS; stride *= 4u) {
    tile[SUMS_AT + half + thread] = sum;
    workgroupBarrier();
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
  workgroupBarrier();
  return Scan(sum - value, tile[SUMS_AT + half + THREADS - 1u]);
}
