// The subgroups of a workgroup, and sets of the lanes of a subgroup.
//
// SUBGROUP_SIZE, the lanes of every subgroup, is known when the shader is made: the device has no
// other size, or the pipeline asks for it. WGSL does not say which threads of a workgroup share a
// subgroup. So a thread is placed by its subgroup's number and its lane, and neighbours are
// neighbours by these.
//
// Without HAS_SUBGROUPS a workgroup counts as one subgroup, so SUBGROUP_SIZE is THREADS, and what
// lanes tell each other goes through workgroup storage.
//
// Reads: HAS_SUBGROUPS, SUBGROUP_SIZE, SUBGROUP_ID; without subgroups THREADS, SUM_ROW, SUM_ROWS.
// Defines: inclusiveAdd, allAgree; HAS_SUBGROUPS: Lanes, lanesOf, allLanes, lanesBelow, population,
// without SUBGROUP_ID subgroupsNumbered and subgroupNumber; above 32 lanes and without subgroups
// wordBelow.
// Workgroup storage: 4 bytes without SUBGROUP_ID; without subgroups 4 × (THREADS + SUM_ROWS) bytes.
// Barriers: without subgroups two in inclusiveAdd, which all threads of the workgroup have to call.

//#if HAS_SUBGROUPS
/// The sum of the values of this lane and of those below it.
fn inclusiveAdd(value: u32, thread: u32) -> u32 {
  return subgroupInclusiveAdd(value);
}

/// Whether all lanes say so, if they can tell each other without a barrier; else what this one
/// says.
fn allAgree(own: bool) -> bool {
  return subgroupAll(own);
}
//#else
/// The value of each thread; and the sums of rows of SUM_ROW threads.
var<workgroup> laneValues: array<u32, THREADS>;
var<workgroup> rowSums: array<u32, SUM_ROWS>;

fn inclusiveAdd(value: u32, thread: u32) -> u32 {
  laneValues[thread] = value;
  workgroupBarrier(); // the values are there
  let row = thread / SUM_ROW;
  var sum = 0u;
//#unroll k in SUM_ROW
  sum += select(0u, laneValues[row * SUM_ROW + k], k <= thread % SUM_ROW);
//#end
  if (thread % SUM_ROW == SUM_ROW - 1u) {
    rowSums[row] = sum;
  }
  workgroupBarrier(); // the rows are summed up
//#unroll r in SUM_ROWS
  sum += select(0u, rowSums[r], r < row);
//#end
  return sum;
}

fn allAgree(own: bool) -> bool {
  return own;
}

/// The lanes below `lane`, of the 32 lanes from `first` on.
fn wordBelow(lane: u32, first: u32) -> u32 {
  let within = max(lane, first) - first;
  return select((1u << (within & 31u)) - 1u, ~0u, within > 31u);
}
//#end

//#if HAS_SUBGROUPS
//#if SUBGROUP_ID == 0
/// The number of subgroups that have a number.
var<workgroup> subgroupsNumbered: atomic<u32>;

/// A number for this subgroup, by first come, where the language has no builtin for it.
fn subgroupNumber(lane: u32) -> u32 {
  var number = 0u;
  if (lane == 0u) {
    number = atomicAdd(&subgroupsNumbered, 1u);
  }
  return subgroupBroadcastFirst(number);
}
//#end

//#if SUBGROUP_SIZE > 32
alias Lanes = vec4u;

/// The lanes whose vote is `own`, of the ballot `vote`.
fn lanesOf(vote: vec4u, own: bool) -> Lanes {
  return select(~vote, vote, own);
}

/// All lanes of a subgroup.
fn allLanes() -> Lanes {
  return lanesBelow(SUBGROUP_SIZE);
}

/// The lanes below `lane`.
fn lanesBelow(lane: u32) -> Lanes {
  return vec4u(
    wordBelow(lane, 0u),
    wordBelow(lane, 32u),
    wordBelow(lane, 64u),
    wordBelow(lane, 96u)
  );
}

/// The lanes below `lane`, of the 32 lanes from `first` on.
fn wordBelow(lane: u32, first: u32) -> u32 {
  let within = max(lane, first) - first;
  return select((1u << (within & 31u)) - 1u, ~0u, within > 31u);
}

/// The number of lanes in a set.
fn population(lanes: Lanes) -> u32 {
  let counts = countOneBits(lanes);
  return counts.x + counts.y + counts.z + counts.w;
}
//#else
alias Lanes = u32;

/// The lanes whose vote is `own`, of the ballot `vote`.
fn lanesOf(vote: vec4u, own: bool) -> Lanes {
  return select(~vote.x, vote.x, own);
}

/// All lanes of a subgroup.
fn allLanes() -> Lanes {
  return ~0u >> (32u - SUBGROUP_SIZE);
}

/// The lanes below `lane`.
fn lanesBelow(lane: u32) -> Lanes {
  return (1u << lane) - 1u;
}

/// The number of lanes in a set.
fn population(lanes: Lanes) -> u32 {
  return countOneBits(lanes);
}
//#end
//#end
