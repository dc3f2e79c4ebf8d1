// Lanes: the subgroups of a workgroup, and sets of a subgroup's invocations.
//
// SUBGROUP, the number of invocations in every subgroup, is known when the shader is made: the device has no other, or
// the pipeline is pinned to it. WGSL does not say which invocations of a workgroup share a subgroup. So a thread is
// known by its subgroup's number and its lane in it, and what has to lie next to its neighbour's is placed by these.

//#if SUBGROUP_ID == 0
/// Subgroups that have a number.
var<workgroup> numbered: atomic<u32>;

/// A number for this subgroup, as it comes, where the language has no builtin for it.
fn subgroupNumber(lane: u32) -> u32 {
  var number = 0u;
  if (lane == 0u) {
    number = atomicAdd(&numbered, 1u);
  }
  return subgroupBroadcastFirst(number);
}
//#end

//#if SUBGROUP_SIZE > 32
alias Lanes = vec4u;

/// The lanes that voted as a lane that voted `own` did.
fn lanesOf(vote: vec4u, own: bool) -> Lanes {
  return select(~vote, vote, own);
}

fn allLanes() -> Lanes {
  return lanesBelow(SUBGROUP_SIZE);
}

/// The lanes below `lane`.
fn lanesBelow(lane: u32) -> Lanes {
  return vec4u(wordBelow(lane, 0u), wordBelow(lane, 32u), wordBelow(lane, 64u), wordBelow(lane, 96u));
}

/// Of the lanes below `lane`, the 32 from `first` on.
fn wordBelow(lane: u32, first: u32) -> u32 {
  let within = max(lane, first) - first;
  return select((1u << (within & 31u)) - 1u, ~0u, within > 31u);
}

fn population(lanes: Lanes) -> u32 {
  let counts = countOneBits(lanes);
  return counts.x + counts.y + counts.z + counts.w;
}
//#else
alias Lanes = u32;

/// The lanes that voted as a lane that voted `own` did.
fn lanesOf(vote: vec4u, own: bool) -> Lanes {
  return select(~vote.x, vote.x, own);
}

fn allLanes() -> Lanes {
  return ~0u >> (32u - SUBGROUP_SIZE);
}

/// The lanes below `lane`.
fn lanesBelow(lane: u32) -> Lanes {
  return (1u << lane) - 1u;
}

fn population(lanes: Lanes) -> u32 {
  return countOneBits(lanes);
}
//#end
