// Counting sort by comparison counts: a key's place is the number of keys that come before it.
//
// Input: `sourceKeys`, `sourceValues`, `count` of each. Output: `targetKeys`, `targetValues`.
// One workgroup for THREADS keys, one key a thread. Stable: of equal keys the earlier comes first.
// Bytes a key: 8 (16 with a value), and 4 × count / THREADS for the keys to compare with.
// Operations a key: count comparisons. The work is count², for one step of parallel time.
//
// Phases:
//   1. Load the own key.
//   2. For each chunk of THREADS keys: load it into workgroup storage, count who comes before.
//   3. Write the key to its place.
//
// Workgroup storage: 4 × THREADS bytes. Barriers: before and after a chunk is read.
// Source: Garland, "Parallel sorting" (lecture), counting sort by comparison counts; Knuth, "The
// art of computer programming" 3, 5.2, algorithm C.

struct Params {
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sourceKeys: array<u32>;
@group(0) @binding(2) var<storage, read_write> targetKeys: array<u32>;
//#if VALUES
@group(0) @binding(3) var<storage, read> sourceValues: array<u32>;
@group(0) @binding(4) var<storage, read_write> targetValues: array<u32>;
//#end

var<workgroup> chunk: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn countComparisons(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  // 1. Own key.
  let count = params.count;
  let own = group.x * THREADS + thread;
  let key = sourceKeys[min(own, count - 1u)];
  var place = 0u;
  // 2. Compare.
  for (var start = 0u; start < count; start += THREADS) {
    chunk[thread] = sourceKeys[min(start + thread, count - 1u)];
    workgroupBarrier(); // the chunk is there
    for (var i = 0u; i < min(THREADS, count - start); i++) {
      let other = chunk[i];
      place += u32(other < key || (other == key && start + i < own));
    }
    workgroupBarrier(); // and read
  }
  // 3. Write.
  if (own < count) {
    targetKeys[place] = key;
//#if VALUES
    targetValues[place] = sourceValues[own];
//#end
  }
}
