// Selection within a tile: all threads find the least key that is left; it goes to the next place.
//
// Input: `sourceKeys`, `sourceValues`, `count` of each. Output: `targetKeys`, `targetValues`; each
// tile of TILE keys is in order by itself.
// One workgroup a tile; a thread has ITEMS keys, THREADS apart. Stable: of equal keys the first is
// taken.
// Bytes a key: 8 (16 with a value). Operations a key: two atomic minima by each thread that still
// has keys, so up to 2 × THREADS; TILE rounds one after the other.
//
// Phases, in each round:
//   1. The least of the threads' least keys.
//   2. The first place at which it lies.
//   3. Its thread writes it, and looks for the least of those that it has left.
//
// Workgroup storage: 8 bytes. Barriers: before `least` is read, before `first` is read, and before
// both are set again.
// Source: Knuth, "The art of computer programming" 3, 5.2.3, algorithm S, by all threads at once.

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

const NONE = 0xffffffffu;
var<workgroup> least: atomic<u32>;
var<workgroup> first: atomic<u32>;

@compute @workgroup_size(THREADS)
fn selectKeys(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  let start = group.x * TILE;
  let end = min(start + TILE, params.count);
  var taken = 0u;
  for (var to = start; to < end; to++) {
    var key = NONE;
    var at = NONE;
    for (var i = 0u; i < ITEMS; i++) {
      let from_ = start + i * THREADS + thread;
      if (from_ < end && ((taken >> i) & 1u) == 0u && (at == NONE || sourceKeys[from_] < key)) {
        key = sourceKeys[from_];
        at = from_;
      }
    }
    if (thread == 0u) {
      atomicStore(&least, NONE);
      atomicStore(&first, NONE);
    }
    workgroupBarrier(); // both are set
    // 1. The least key.
    atomicMin(&least, key);
    workgroupBarrier(); // the least key is known
    // 2. The first place.
    if (key == atomicLoad(&least)) {
      atomicMin(&first, at);
    }
    workgroupBarrier(); // its place is known
    // 3. Write.
    if (at != NONE && at == atomicLoad(&first)) {
      taken |= 1u << ((at - start) / THREADS);
      targetKeys[to] = key;
//#if VALUES
      targetValues[to] = sourceValues[at];
//#end
    }
    workgroupBarrier(); // and read
  }
}
