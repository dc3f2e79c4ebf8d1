// An exclusive scan over the values of a workgroup's threads, by doubling strides.
//
// Reads: THREADS; Counts, an alias of u32 or of a vector of them. Defines: scanned, scanWorkgroup.
// Afterwards scanned[THREADS - 1] is the sum of all values, for every thread.
// Workgroup storage: THREADS × (bytes of Counts). Barriers: before and after a step's sums are
// read; the last one lets every thread read the total. The caller has a barrier before it calls
// again.
// Source: Hillis and Steele, "Data parallel algorithms", 1986, pages 1170 to 1183.

var<workgroup> scanned: array<Counts, THREADS>;

fn scanWorkgroup(thread: u32, value: Counts) -> Counts {
  var sum = value;
  for (var stride = 1u; stride < THREADS; stride *= 2u) {
    scanned[thread] = sum;
    workgroupBarrier(); // the step's sums are there
    if (thread >= stride) {
      sum += scanned[thread - stride];
    }
    workgroupBarrier(); // and read
  }
  scanned[thread] = sum;
  workgroupBarrier(); // the total is there
  return sum - value;
}
