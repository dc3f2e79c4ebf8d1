// Marks: where the caller's segments begin, and lists of those that are not short.
//
// Input: as many segments as fragments/command-numbers.wgsl says, at most as `places` has ends for;
// from its offset on, `places` has the first key of each, and then the end of the last. The four
// bytes of `room`, the number of records that the buffers hold, lowest first.
// Output: `marks`, a bit a key, counted from the first key of all segments, set where one begins
// that is not empty; zero before. `state`: where the segments are, and how long the lists are.
// `singles`: segments of over SHORT keys, up to SINGLE, which a subgroup sorts by itself.
// `pieces`: segments of over SINGLE keys, at the front of up to FEWER_KEYS, at the end of up to
// TILE. `longs`: longer segments. The order of a list is that in which threads come.
// All segments are within the buffers, and at most order.maxCount apart, whatever `places` says;
// places that do not ascend may make lists run over, and what does not fit is left out.
//
// Any number of workgroups; a thread a segment. Memory: reads 8 bytes a segment, writes a bit.
// Workgroup storage and barriers: none.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/segment-state.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(2) @binding(0) var<storage, read> places: array<u32>;
@group(2) @binding(1) var<storage, read_write> state: array<atomic<u32>>;
@group(2) @binding(2) var<storage, read_write> marks: array<atomic<u32>>;
@group(2) @binding(3) var<storage, read_write> pieces: array<Piece>;
@group(2) @binding(4) var<storage, read_write> longs: array<Piece>;
@group(2) @binding(5) var<storage, read_write> singles: array<Window>;
@group(2) @binding(6) var<uniform> room0: u32;
@group(2) @binding(7) var<uniform> room1: u32;
@group(2) @binding(8) var<uniform> room2: u32;
@group(2) @binding(9) var<uniform> room3: u32;

/// Puts a segment on the list for its length, if it is on any. All segments begin at `origin`.
fn list(first: u32, count: u32, origin: u32) {
  if (count > TILE) {
    let at = atomicAdd(&state[LONGS_AT], 1u);
    if (at < arrayLength(&longs)) {
      let tile = atomicAdd(&state[TILES_AT], (count + TILE - 1u) / TILE);
      longs[at] = Piece(first, count, tile);
    }
  } else if (count > FEWER_KEYS) {
    let at = atomicAdd(&state[MORE_AT], 1u);
    if (at < arrayLength(&pieces)) {
      pieces[arrayLength(&pieces) - 1u - at] = Piece(first, count, 0u);
    }
  } else if (count > SINGLE) {
    let at = atomicAdd(&state[FEWER_AT], 1u);
    if (at < arrayLength(&pieces)) {
      pieces[at] = Piece(first, count, 0u);
    }
  } else if (count > SHORT) {
    let at = atomicAdd(&state[SINGLES_AT], 1u);
    if (at < arrayLength(&singles)) {
      singles[at] = Window(first - origin, count, 1u, SINGLE);
    }
  }
}

@compute @workgroup_size(THREADS)
fn markSegments(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let room = room0 | (room1 << 8u) | (room2 << 16u) | (room3 << 24u);
  // A count that only the GPU knows may be of more segments than there are places.
  let most = max(arrayLength(&places), offset + 1u) - 1u - offset;
  let segments = min(keyCount(~0u), most);
  let first = min(places[offset], room);
  let limit = first + min(order.maxCount, room - first);
  if (invocation.x == 0u) {
    atomicStore(&state[FIRST_AT], first);
    atomicStore(&state[END_AT], clamp(places[offset + segments], first, limit));
  }
  for (var i = invocation.x; i < segments; i += workgroups.x * THREADS) {
    let place = clamp(places[offset + i], first, limit);
    let end = clamp(places[offset + i + 1u], place, limit);
    if (end > place) {
      let at = place - first;
      atomicOr(&marks[at >> 5u], 1u << (at & 31u));
      list(place, end - place, first);
    }
  }
}
