// The opening of a kernel whose threads know their subgroups: what it asks of the language, and the
// attributes of its entry point. In front of that function.
//
// Reads: THREADS, HAS_SUBGROUPS, SUBGROUP_SIZE, SIZE_CONTROL, SUBGROUP_ID. Defines: nothing.

//#if HAS_SUBGROUPS
enable subgroups;
//#if SUBGROUP_ID
requires subgroup_id;
//#end
//#end
//#if SIZE_CONTROL
enable subgroup_size_control;
@compute @workgroup_size(THREADS) @subgroup_size(SUBGROUP_SIZE)
//#else
@compute @workgroup_size(THREADS)
//#end
