// Merge chunks: of two sorted chunks, neighbours, the lower keys go to the one's place and the
// others to the other's. A chunk's place is a binding of its own, so that keys which one binding
// cannot hold are sorted: chunk by chunk, then by such merges.
//
// Input: `firstKeys` and `secondKeys`, raw bits, sorted; their values; the chunks' numbers `first`
// and `second`, and `chunkCounts`. `part`: 0 where the target is the first chunk's place, 1 where
// it is the second's. With an empty second chunk part 0 is a copy.
// Output: `targetKeys`, `targetValues`: as many records as the chunk has whose place that is. Of
// equal keys the first chunk's come first. Any number of workgroups; each writes tiles of
// TILE = THREADS × KEYS records that lie next to each other.
// Memory: reads and writes each record once, 8 × (KEY_WORDS + VALUE_WORDS) bytes; and about
// log2(TILE) pairs of keys a tile.
//
// Phases:
//   1. How many keys of the first chunk are in front of the workgroup's first tile: a search on
//      the diagonal of a merge, by one thread.
// Then for each tile:
//   2. The same for the tile's end, among TILE places.
//   3. Load what lies between: a part of each chunk.
//   4. Each thread searches its own diagonal in the tile, and merges KEYS keys from there: which
//      place of the tile each key of the output has.
//   5. Write the keys, and the values, which are loaded from where they lie.
//
// Workgroup storage: 4 × (KEY_WORDS + 1) × TILE + 4 bytes.
// Barriers, for each tile three: `split` is there, and all threads have read the tile before; the
// tile is there; all places are known.
// Source: Green, McColl and Bader, "GPU merge path", 2012, for the diagonals; Knuth, "The art of
// computer programming", 3, 5.3.4, exercise 38, for networks that merge in place of comparing.

//#include fragments/order.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<uniform> first: u32;
@group(1) @binding(1) var<uniform> second: u32;
@group(1) @binding(2) var<uniform> part: u32;
/// The index of the first key in the binding of chunk 0; all others begin with theirs.
@group(1) @binding(3) var<uniform> offset: u32;
@group(1) @binding(4) var<storage, read> chunkCounts: array<u32>;
// Chunks may lie in the target's buffer: only there may others be written.
@group(2) @binding(0) var<storage, read_write> firstKeys: array<Key>;
@group(2) @binding(1) var<storage, read_write> secondKeys: array<Key>;
@group(2) @binding(2) var<storage, read_write> targetKeys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(3) var<storage, read_write> firstValues: array<Value>;
@group(2) @binding(4) var<storage, read_write> secondValues: array<Value>;
@group(2) @binding(5) var<storage, read_write> targetValues: array<Value>;
//#end

var<workgroup> tile: array<Key, TILE>;
/// The places in the tile that its keys come from.
var<workgroup> places: array<u32, TILE>;
/// Keys of the first chunk in front of a tile.
var<workgroup> split: u32;

/// Whether word a comes before word b. Ties are equal in the bits that decide.
fn isBefore(a: Key, b: Key) -> bool {
//#if KEY_WORDS == 1
  return (clampWord(a, order) & order.mask.x) < (clampWord(b, order) & order.mask.x);
//#else
  return isLess(clampWord(a, order) & order.mask, clampWord(b, order) & order.mask);
//#end
}

/// How many of the first `diagonal` keys of the merge are of the first chunk: at least `least`, at
/// most `most`. The first chunk begins at `from_`.
fn splitAt(diagonal: u32, least: u32, most: u32, from_: u32) -> u32 {
  var low = least;
  var high = most;
  while (low < high) {
    let middle = (low + high) / 2u;
    let own = wordOf(firstKeys[from_ + middle], order);
    if (isBefore(wordOf(secondKeys[diagonal - 1u - middle], order), own)) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  return low;
}

@compute @workgroup_size(THREADS)
fn mergeChunks(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let inFirst = chunkCounts[first];
  let inSecond = chunkCounts[second];
  let before = select(0u, inFirst, part == 1u);
  let size = select(inFirst, inSecond, part == 1u);
  let from_ = select(0u, offset, first == 0u);
  let to = select(0u, offset, first == 0u && part == 0u);
  let tiles = (size + TILE - 1u) / TILE;
  let tilesPerGroup = (tiles + groups.x - 1u) / groups.x;
  let tilesEnd = min(tiles, (group.x + 1u) * tilesPerGroup);

  // 1. The diagonal of the first tile.
  var tile_ = min(tiles, group.x * tilesPerGroup);
  if (thread == 0u) {
    let start = before + min(tile_ * TILE, size);
    split = splitAt(start, max(start, inSecond) - inSecond, min(start, inFirst), from_);
  }
  var begin = workgroupUniformLoad(&split);
  for (; tile_ < tilesEnd; tile_ += 1u) {
    // 2. The diagonal of its end.
    let start = before + tile_ * TILE;
    let valid = min(TILE, size - tile_ * TILE);
    let end = start + valid;
    if (thread == 0u) {
      let least = max(begin, max(end, inSecond) - inSecond);
      split = splitAt(end, least, min(begin + valid, min(end, inFirst)), from_);
    }
    let ends = workgroupUniformLoad(&split); // a barrier: the tile before is written
    let own = ends - begin;
    let secondBegin = start - begin;
    // 3. Load.
//#unroll i in KEYS
    let at_i = i * THREADS + thread;
    if (at_i < own) {
      tile[at_i] = wordOf(firstKeys[from_ + begin + at_i], order);
    } else if (at_i < valid) {
      tile[at_i] = wordOf(secondKeys[secondBegin + at_i - own], order);
    }
//#end
    workgroupBarrier(); // the tile is there
    // 4. Merge.
    let diagonal = min(thread * KEYS, valid);
    let others = valid - own;
    var low = max(diagonal, others) - others;
    var high = min(diagonal, own);
    while (low < high) {
      let middle = (low + high) / 2u;
      if (isBefore(tile[own + diagonal - 1u - middle], tile[middle])) {
        high = middle;
      } else {
        low = middle + 1u;
      }
    }
    var next = low;
    var nextOther = own + diagonal - low;
    for (var at = diagonal; at < min(diagonal + KEYS, valid); at += 1u) {
      let takesOther = next == own || (nextOther < valid && isBefore(tile[nextOther], tile[next]));
      places[at] = select(next, nextOther, takesOther);
      nextOther += select(0u, 1u, takesOther);
      next += select(1u, 0u, takesOther);
    }
    workgroupBarrier(); // all places are known
    // 5. Write.
//#unroll i in KEYS
    if (at_i < valid) {
      let place = places[at_i];
      targetKeys[to + tile_ * TILE + at_i] = bitsOf(tile[place], order);
//#if VALUE_WORDS > 0
      if (place < own) {
        targetValues[to + tile_ * TILE + at_i] = firstValues[from_ + begin + place];
      } else {
        targetValues[to + tile_ * TILE + at_i] = secondValues[secondBegin + place - own];
      }
//#end
    }
//#end
    begin = ends;
  }
}
