// Windows: which short segments each subgroup sorts.
//
// Input: `marks` and `state` of segments/marks.wgsl.
// Output: `windows`, two lists, one after the other, with a record for each WINDOW keys. The first
// has the segments that begin there; if they end beyond SHORT keys, all but the last of them, which
// is then the record in the second list, unless it is not short. A record that is not needed has no
// keys.
// A thread for each WINDOW keys. Memory: reads a bit a key, writes 32 bytes for WINDOW keys.
// Workgroup storage and barriers: none.

//#include fragments/order.wgsl
//#include fragments/segment-state.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read> state: array<u32>;
@group(1) @binding(1) var<storage, read> marks: array<u32>;
@group(1) @binding(2) var<storage, read_write> windows: array<Window>;

/// The first mark at `from_` or after it, and before `limit`; `limit` if there is none.
fn nextMark(from_: u32, limit: u32) -> u32 {
  for (var at = from_; at < limit; at = (at | 31u) + 1u) {
    let word = marks[at >> 5u] >> (at & 31u);
    if (word != 0u) {
      return min(at + firstTrailingBit(word), limit);
    }
  }
  return limit;
}

@compute @workgroup_size(THREADS)
fn findWindows(@builtin(global_invocation_id) invocation: vec3u) {
  let length = arrayLength(&windows) / 2u;
  if (invocation.x >= length) {
    return;
  }
  let end = state[END_AT] - state[FIRST_AT];
  let windowEnd = min((invocation.x + 1u) * WINDOW, end);
  var all = Window();
  var rest = Window();
  all.first = nextMark(invocation.x * WINDOW, windowEnd);
  var at = all.first;
  while (at < windowEnd) {
    let next = nextMark(at + 1u, min(at + SHORT + 1u, end));
    if (next - at > SHORT) {
      break; // the last one, which is not short
    }
    if (next - all.first > SHORT) {
      rest = Window(at, next - at, 1u, next - at);
      break;
    }
    all.count = next - all.first;
    all.segments += 1u;
    all.longest = max(all.longest, next - at);
    at = next;
  }
  windows[invocation.x] = all;
  windows[length + invocation.x] = rest;
}
