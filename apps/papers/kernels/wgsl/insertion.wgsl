// Insertion within a tile: key after key joins those that are in order already. All threads look
// at once who has to move up by one place.
//
// Input: `sourceKeys`, `sourceValues`, `count` of each. Output: `targetKeys`, `targetValues`; each
// tile of TILE keys is in order by itself.
// One workgroup a tile; a thread has the places thread + i × THREADS. Stable: equal keys stay.
// Bytes a key: 8 (16 with a value). Operations a key: one comparison with each key before it, by
// all threads at once; TILE rounds one after the other.
//
// Phases, in each round:
//   1. Each thread reads what will be in its places: what is there, the new key, or the place
//      before.
//   2. Each thread writes that.
//
// Workgroup storage: 8 × TILE bytes. Barriers: between reading and writing, twice a round.
// Source: Knuth, "The art of computer programming" 3, 5.2.1, algorithm S, by all threads at once.

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

/// Keys in order, each with the place that it came from.
var<workgroup> ordered: array<vec2u, TILE>;

@compute @workgroup_size(THREADS)
fn insertKeys(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  let start = group.x * TILE;
  let size = min(TILE, params.count - start);
  for (var round = 0u; round < size; round++) {
    let inserted = vec2u(sourceKeys[start + round], start + round);
    // 1. Read.
    var moved: array<vec2u, ITEMS>;
    for (var i = 0u; i < ITEMS; i++) {
      let place = thread + i * THREADS;
      let staying = ordered[place];
      let before = ordered[max(place, 1u) - 1u];
      let isMoving = place == round || (place < round && staying.x > inserted.x);
      let isNext = place > 0u && before.x > inserted.x;
      moved[i] = select(staying, select(inserted, before, isNext), isMoving);
    }
    workgroupBarrier(); // all places are read
    // 2. Write.
    for (var i = 0u; i < ITEMS; i++) {
      ordered[thread + i * THREADS] = moved[i];
    }
    workgroupBarrier(); // and written
  }
  for (var place = thread; place < size; place += THREADS) {
    targetKeys[start + place] = ordered[place].x;
//#if VALUES
    targetValues[start + place] = sourceValues[ordered[place].y];
//#end
  }
}
