// Windows: which short segments each subgroup sorts.
//
// For example, if the segments that begin in WINDOW neighbouring keys have 5, 8 and 6 keys, they
// are one window, in which each gets 8 slots.
//
// Input: `marks` and `state` of segments/marks.wgsl.
// Output: `windows`, a list. The segments that begin in one stretch of WINDOW keys are a window. If
// they end more than SHORT keys later, the last of them is left out, and is a window of its own,
// unless it is not short. At the front of the list are the windows in which each segment may have
// equally many slots, if NARROW sorts them faster, and at its end the others. The order is that in
// which threads come; `state` has the numbers of both. `refused`: its two numbers, zero. A thread
// for each WINDOW keys.
// Memory: reads a bit a key, writes 16 bytes a window. Workgroup storage and barriers: none.

//#include fragments/order.wgsl
//#include fragments/segment-state.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read_write> state: array<atomic<u32>>;
@group(1) @binding(1) var<storage, read> marks: array<u32>;
@group(1) @binding(2) var<storage, read_write> windows: array<Window>;
@group(1) @binding(3) var<storage, read_write> refused: array<u32>;

/// The smallest power of two that is not below `count`, and at least 4.
fn slotsFor(count: u32) -> u32 {
  return 1u << (32u - countLeadingZeros(max(count, 4u) - 1u));
}

/// The first mark at `from_` or after it. There is one.
fn nextMark(from_: u32) -> u32 {
  var index = from_ >> 5u;
  var word = marks[index] & (~0u << (from_ & 31u));
  while (word == 0u && index + 1u < arrayLength(&marks)) {
    index += 1u;
    word = marks[index];
  }
  return index * 32u + firstTrailingBit(word);
}

/// Puts a window on the list, unless its segments have a key each.
fn list(first: u32, count: u32, segments: u32, longest: u32) {
  if (longest < 2u) {
    return;
  }
  let slots = slotsFor(longest);
  let isMixed = slots * segments > SHORT;
  if (NARROW == 1u && isMixed && slots * segments <= 2u * SHORT) {
    // Two windows of equally many slots take less time than one of mixed segments.
    let most = SHORT / slots;
    var at = first;
    for (var i = 0u; i < most; i += 1u) {
      at = nextMark(at + 1u);
    }
    let even = atomicAdd(&state[EVEN_AT], 2u);
    windows[even] = Window(first, at - first, most, slots);
    windows[even + 1u] = Window(at, first + count - at, segments - most, slots);
    return;
  }
  if (NARROW == 1u && !isMixed) {
    windows[atomicAdd(&state[EVEN_AT], 1u)] = Window(first, count, segments, slots);
  } else {
    let at = atomicAdd(&state[MIXED_AT], 1u);
    let own = select(slots, slotsFor(count), isMixed);
    windows[arrayLength(&windows) - 1u - at] = Window(first, count, segments, own);
  }
}

@compute @workgroup_size(THREADS)
fn findWindows(@builtin(global_invocation_id) invocation: vec3u) {
  if (invocation.x == 0u) {
    refused[0] = 0u;
    refused[1] = 0u;
  }
  let end = atomicLoad(&state[END_AT]) - atomicLoad(&state[FIRST_AT]);
  let start = invocation.x * WINDOW;
  if (start >= end) {
    return;
  }
  let windowEnd = min(start + WINDOW, end);
  // Marks are taken from a word of them.
  var index = start >> 5u;
  var word = marks[index] & (~0u << (start & 31u));
  var first = windowEnd;
  var at = windowEnd;
  var segments = 0u;
  var longest = 0u;
  loop {
    // The next segment: the first that begins in the window, or the end of the one before.
    let isNone = first == windowEnd;
    let limit = select(min(at + SHORT + 1u, end), windowEnd, isNone);
    while (word == 0u && (index + 1u) * 32u < limit) {
      index += 1u;
      word = marks[index];
    }
    let next = select(limit, min(index * 32u + firstTrailingBit(word), limit), word != 0u);
    word &= word - 1u;
    if (isNone) {
      first = next;
      if (first == windowEnd) {
        return;
      }
    } else {
      if (next - at > SHORT) {
        break; // the last one, which is not short
      }
      if (next - first > SHORT) {
        list(at, next - at, 1u, next - at);
        break;
      }
      segments += 1u;
      longest = max(longest, next - at);
      if (next >= windowEnd) {
        at = next;
        break;
      }
    }
    at = next;
  }
  list(first, at - first, segments, longest);
}
