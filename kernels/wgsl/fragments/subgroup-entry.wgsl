// The opening of a kernel whose threads know their subgroups: what it asks of the language, and the
// attributes of its entry point. In front of that function.
//
// Reads: THREADS, SUBGROUP_SIZE, SIZE_CONTROL, SUBGROUP_ID. Defines: nothing.

enable subgroups;
//#if SUBGROUP_ID
requires subgroup_id;
//#end
//#if SIZE_CONTROL
enable subgroup_size_control;
@compute @workgroup_size(THREADS) @subgroup_size(SUBGROUP_SIZE)
//#else
@compute @workgroup_size(THREADS)
//#end
