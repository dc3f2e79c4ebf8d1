// Odd-even transposition: neighbours that are out of order change places, even pairs, then odd
// ones. After as many phases as there are keys, all are in order.
//
// In and out: `keys`, `values`, `count` of each; `phase` is 0 for pairs (0, 1), (2, 3), …, and 1
// for pairs (1, 2), (3, 4), ….
// One thread a pair. Stable: equal neighbours stay.
// Bytes a key and phase: 4 read, at most 4 written (twice that with values); count phases.
// Operations a key and phase: half a comparison; count² / 2 comparisons in all.
//
// Workgroup storage and barriers: none; a dispatch is a phase, and waits for the one before.
// Source: Garland, "Parallel sorting" (lecture), odd-even transposition sort; Habermann, "Parallel
// neighbor-sort", 1972.

struct Params {
  count: u32,
  phase: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
//#if VALUES
@group(0) @binding(2) var<storage, read_write> values: array<u32>;
//#end

@compute @workgroup_size(THREADS)
fn transpose(@builtin(global_invocation_id) invocation: vec3u) {
  let at = 2u * invocation.x + params.phase;
  if (at + 1u >= params.count) {
    return;
  }
  let key = keys[at];
  let next = keys[at + 1u];
  if (key > next) {
    keys[at] = next;
    keys[at + 1u] = key;
//#if VALUES
    let value = values[at];
    values[at] = values[at + 1u];
    values[at + 1u] = value;
//#end
  }
}
