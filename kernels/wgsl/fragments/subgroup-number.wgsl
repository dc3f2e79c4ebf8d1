// The number of a thread's subgroup, where the entry point has not got it. Part of a function.
//
// Reads: HAS_SUBGROUPS, SUBGROUP_ID, thread; with subgroups lane, and subgroupNumber of
// fragments/lanes.wgsl. Defines: number; without subgroups lane, too: the workgroup counts as one.

//#if HAS_SUBGROUPS
//#if SUBGROUP_ID == 0
  let number = subgroupNumber(lane);
//#end
//#else
  let number = 0u;
  let lane = thread;
//#end
