// Rows: the segments of which the first keys are wanted. Long rows are cut into parts, of which
// each brings its first keys to its front; the first keys of a row are among those.
//
// Reads: ROW_SHARE, MIN_PART; order, and fragments/command-numbers.wgsl.
// Defines: the bindings of group 2 but for keys and values; PARTS_AT, LONGS_AT, Row, Rows, allRows,
// rowOf.

@group(2) @binding(0) var<storage, read> places: array<u32>;
/// How many parts and long rows are on the lists.
@group(2) @binding(1) var<storage, read_write> counters: array<atomic<u32>>;
/// Parts of long rows at the front, and long rows at the end.
@group(2) @binding(2) var<storage, read_write> cuts: array<Row>;
/// The bytes of the records that the buffers hold, and of the keys that are wanted, lowest first.
@group(2) @binding(3) var<uniform> room0: u32;
@group(2) @binding(4) var<uniform> room1: u32;
@group(2) @binding(5) var<uniform> room2: u32;
@group(2) @binding(6) var<uniform> room3: u32;
@group(2) @binding(7) var<uniform> wanted0: u32;
@group(2) @binding(8) var<uniform> wanted1: u32;

const PARTS_AT = 0u;
const LONGS_AT = 1u;

/// Keys [first, first + count) of the caller's buffers.
struct Row {
  first: u32,
  count: u32,
}

/// Numbers that are the same for all rows.
struct Rows {
  count: u32,
  /// All keys are within [first, limit).
  first: u32,
  limit: u32,
  /// Most keys of a row that is not cut.
  part: u32,
  /// The keys that are wanted of each row.
  wanted: u32,
}

fn allRows() -> Rows {
  let room = room0 | (room1 << 8u) | (room2 << 16u) | (room3 << 24u);
  // A count that only the GPU knows may be of more rows than there are places.
  let most = max(arrayLength(&places), offset + 1u) - 1u - offset;
  let count = min(keyCount(~0u), most);
  let first = min(places[offset], room);
  let limit = first + min(order.maxCount, room - first);
  let end = clamp(places[offset + count], first, limit);
  let part = max((end - first) / ROW_SHARE, MIN_PART);
  return Rows(count, first, limit, part, wanted0 | (wanted1 << 8u));
}

/// Row `number` of those that the caller says, cut where the buffers or `maxCount` end.
fn rowOf(number: u32, rows: Rows) -> Row {
  let first = clamp(places[offset + number], rows.first, rows.limit);
  let end = clamp(places[offset + number + 1u], first, rows.limit);
  return Row(first, end - first);
}
