// Result copy: the records from scratch to the caller's buffers, after an odd number of passes.
// Part of a function: chained-scan/sweep.wgsl.
//
// Reads: `plan`, `sourceKeys`, `targetKeys`; with values `sourceValues`, `targetValues`; group,
// groups, thread; TILE, THREADS, KEYS.
// Defines: nothing. Barriers: none.

      for (var at = group.x * TILE + thread; at < plan.count; at += groups.x * TILE) {
//#unroll i in KEYS
        let copy_i = sourceKeys[at + i * THREADS];
//#end
//#unroll i in KEYS
        if (at + i * THREADS < plan.count) {
          targetKeys[plan.offset + at + i * THREADS] = copy_i;
//#if VALUE_WORDS > 0
          targetValues[plan.offset + at + i * THREADS] = sourceValues[at + i * THREADS];
//#end
        }
//#end
      }
