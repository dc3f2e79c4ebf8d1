// The subgroups of a workgroup, and sets of the lanes of a subgroup.
//
// SUBGROUP_SIZE, the lanes of every subgroup, is known when the shader is made: the device has no
// other size, or the pipeline asks for it. WGSL does not say which threads of a workgroup share a
// subgroup. So a thread is placed by its subgroup's number and its lane, and neighbours are
// neighbours by these.
//
// Reads: SUBGROUP_SIZE, SUBGROUP_ID. Defines: Lanes, lanesOf, allLanes, lanesBelow, population;
// without SUBGROUP_ID subgroupsNumbered and subgroupNumber; above 32 lanes wordBelow.
// Workgroup storage: 4 bytes without SUBGROUP_ID. Barriers: none.

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
