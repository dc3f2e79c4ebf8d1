// Parameters of an entry point: where a thread is in its workgroup. `number` is that of its
// subgroup; a kernel includes fragments/subgroup-number.wgsl, which defines what is missing here.
//
// Reads: HAS_SUBGROUPS, SUBGROUP_ID. Defines: thread; HAS_SUBGROUPS lane; with SUBGROUP_ID number.

  @builtin(local_invocation_index) thread: u32,
//#if HAS_SUBGROUPS
  @builtin(subgroup_invocation_id) lane: u32,
//#if SUBGROUP_ID
  @builtin(subgroup_id) number: u32,
//#end
//#end
