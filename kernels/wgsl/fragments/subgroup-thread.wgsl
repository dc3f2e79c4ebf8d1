// Parameters of an entry point: where a thread is in its workgroup. `number` is that of its
// subgroup; without SUBGROUP_ID the kernel calls subgroupNumber of fragments/lanes.wgsl.
//
// Reads: SUBGROUP_ID. Defines: thread, lane; with SUBGROUP_ID number.

  @builtin(local_invocation_index) thread: u32,
  @builtin(subgroup_invocation_id) lane: u32,
//#if SUBGROUP_ID
  @builtin(subgroup_id) number: u32,
//#end
