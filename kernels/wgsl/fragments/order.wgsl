// The order of keys: raw bits to words that compare as plain binary numbers, and back; a word's
// digit. Included by every kernel that reads keys.
//
// Reads: KEY_WORDS (1 or 2 words a key), VALUE_WORDS (0, 1 or 2), MAX_PASSES, APPROXIMATE,
// FIXED_POINT_BITS; HEAVY, HEAVY_SLOTS, RADIX.
// Defines: the structs Order, Pass, Plan, Map, (APPROXIMATE) Scale and (HEAVY) HeavyValues; the
// types Key and Value; wordOf, bitsOf, clampWord, digitOf, minus, wide; with two words a key
// isLess; with APPROXIMATE fixedOf and codeOf.
//
// The transform is core's (packages/core/src/keys/transform.ts). Its numbers are a uniform, so one
// pipeline serves all key types of a width in both orders:
//   word = ((bits ^ (sign bit ? negative : positive)) - bias) ^ flip       modulo 2^width
// `flip` is all ones for descending order. Words outside [lowest, highest] are NaNs, which are
// ties though their bits differ. Keys of 8 and 16 bits are in the highest bits of a word.

struct Order {
  /// The transform's masks of keys with and without sign bit, its bias, and the flip.
  negative: vec2u,
  positive: vec2u,
  bias: vec2u,
  flip: vec2u,
  /// The words of all keys that are no NaN.
  lowest: vec2u,
  highest: vec2u,
  /// Bits that decide the order: the ones in `keyBits`, else all.
  mask: vec2u,
  /// Most blocks that the spine has room for; its rows are this many counts apart.
  maxBlocks: u32,
  /// Fewest tiles of a block.
  minTiles: u32,
  /// Most keys of a sort: what scratch has room for.
  maxCount: u32,
  /// 1 where digits may be cut by range, which subtracts the smallest word: without `keyBits`.
  mayShift: u32,
  /// Workgroups of the survey.
  surveyGroups: u32,
  /// Fewest keys of a hybrid sort; 0 where every sort is, whatever the sample says.
  minHybrid: u32,
  /// Fewest keys, about, that the count of buckets counts where it counts some.
  countedKeys: u32,
  /// Bits of the range that decide the order, the highest ones; 64 where all do.
  rangeBits: u32,
}

//#if APPROXIMATE
/// How floats become codes of 24 bits, for codeOf.
struct Scale {
  /// The smallest finite key in fixed point.
  floor: i32,
  /// The largest exponent of a finite key, as in the bits of a float.
  exponent: u32,
  /// Bits of the fixed point that the code leaves out.
  shift: u32,
  /// The code of NaNs, the largest.
  top: u32,
}
//#end

/// One pass: digit = bits [shift, shift + width) of (word - bias).
struct Pass {
  bias: vec2u,
  shift: u32,
  width: u32,
  /// 1 in the first pass: keys come as raw bits.
  isFirst: u32,
  /// 1 in the last pass: keys leave as raw bits.
  isLast: u32,
  /// The first key's index in the source and in the target: 0 in scratch.
  sourceOffset: u32,
  targetOffset: u32,
//#if APPROXIMATE
  scale: Scale,
//#end
}

/// What the GPU finds out before the first pass: reduce-then-scan/plan.wgsl, or
/// fragments/digit-starts.wgsl, which leaves the fields of blocks, spine and scale alone.
struct Plan {
  /// Keys, and the index of the first one.
  count: u32,
  offset: u32,
  tilesPerBlock: u32,
  blocks: u32,
  passesRun: u32,
  passesSkipped: u32,
  /// Exponent and shift of an approximate sort's scale, from which the host tells the error bound.
  scale: vec2u,
  /// Threads that scan one row of the spine: a power of two.
  spineLanes: u32,
  /// Of a sort that may be hybrid: BY_SWEEPS, HYBRID_MODE, or IN_ORDER where the keys were.
  mode: u32,
  /// COUNTED: the buckets of a batch.
  batchBuckets: u32,
  /// MAPPED: 1 where a hybrid sort was given up, so that the keys are sorted in another way.
  isGivenUp: u32,
  /// One key of how many the count of buckets counts, and the map.
  stride: u32,
  map: Map,
  passes: array<Pass, MAX_PASSES>,
//#if HEAVY
  heavy: HeavyValues,
//#end
}

//#if HEAVY
/// The values whose keys the sweeps leave out: fragments/heavy-values.wgsl.
struct HeavyValues {
  /// The number of values, and of the keys that the sweeps after the first one move.
  count: u32,
  swept: u32,
  /// The values by slot; and in order, followed by words of all ones.
  table: array<u32, HEAVY_SLOTS>,
  words: array<u32, HEAVY_SLOTS>,
  /// For each value, in order, how many keys of smaller values are left out; then of all.
  starts: array<u32, HEAVY_SLOTS + 1>,
  /// For each value of the last pass's digit, how many heavy values have a smaller one.
  firsts: array<u32, RADIX + 1>,
}
//#end

/// The monotone map of a hybrid sort, from the leading bits of a key to a position, and from there
/// to a bucket: fragments/map.wgsl.
struct Map {
  /// The range of the positions, as leads: [least, below] and [above, most]. There are hardly any
  /// keys in the gap between the two.
  least: u32,
  below: u32,
  above: u32,
  most: u32,
  /// By how many bits a position is shifted, and then multiplied, to be a fraction of 2^32.
  shift: u32,
  factor: u32,
  /// 1 where leads are so even that a fraction is the bucket itself.
  isLinear: u32,
  /// Of keys of two words: how many bits come after the lead, 0 to 32, and the bits before it.
  tail: u32,
  prefix: u32,
}

//#if KEY_WORDS == 1
alias Key = u32;

/// The word of a key's raw bits.
fn wordOf(bits: Key, order: Order) -> Key {
  let masked = bits ^ select(order.positive.x, order.negative.x, (bits >> 31u) == 1u);
  return (masked - order.bias.x) ^ order.flip.x;
}

/// a - b, modulo 2^width.
fn minus(a: Key, b: Key) -> Key {
  return a - b;
}

/// The raw bits of a word.
fn bitsOf(word: Key, order: Order) -> Key {
  // Both masks flip the sign bit, or neither does, so it still tells the two cases apart.
  let masked = (word ^ order.flip.x) + order.bias.x;
  return masked ^ select(order.negative.x, order.positive.x, (masked >> 31u) == 1u);
}

/// A word in whose place NaNs are all alike.
fn clampWord(word: Key, order: Order) -> Key {
  return clamp(word, order.lowest.x, order.highest.x);
}

//#if APPROXIMATE
/// A finite float as a whole multiple of 2^(exponent - 150 - FIXED_POINT_BITS), rounded towards 0.
/// With 6 such bits its magnitude is below 2^30.
fn fixedOf(bits: u32, exponent: u32) -> i32 {
  let own = extractBits(bits, 23u, 8u);
  let mantissa = extractBits(bits, 0u, 23u) | select(0x800000u, 0u, own == 0u);
  let magnitude = i32((mantissa << FIXED_POINT_BITS) >> min(exponent - max(own, 1u), 31u));
  return select(magnitude, -magnitude, (bits >> 31u) == 1u);
}

/// The 24-bit normalised float mapping of Ha, Krüger and Silva, 2.3: -Infinity, finite keys in
/// equal steps from the smallest to the largest, Infinity, NaN. In whole numbers, so that no two
/// shaders differ in rounding.
fn codeOf(word: Key, order: Order, scale: Scale) -> u32 {
  let bits = bitsOf(word, order);
  let magnitude = bits & 0x7fffffffu;
  var code = 1u + (u32(fixedOf(bits, scale.exponent) - scale.floor) >> scale.shift);
  if (magnitude == 0x7f800000u) {
    code = select(scale.top - 1u, 0u, (bits >> 31u) == 1u);
  }
  if (magnitude > 0x7f800000u) {
    code = scale.top;
  }
  return select(code, scale.top - code, order.flip.x != 0u);
}

/// The pass's digit of a word.
fn digitOf(word: Key, order: Order, pass_: Pass) -> u32 {
  return extractBits(codeOf(word, order, pass_.scale), pass_.shift, pass_.width);
}
//#else
/// The pass's digit of a word.
fn digitOf(word: Key, order: Order, pass_: Pass) -> u32 {
  return extractBits(clampWord(word, order) - pass_.bias.x, pass_.shift, pass_.width);
}
//#end
//#else
alias Key = vec2u;

/// Whether a < b.
fn isLess(a: Key, b: Key) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}

/// a - b, modulo 2^width.
fn minus(a: Key, b: Key) -> Key {
  return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn wordOf(bits: Key, order: Order) -> Key {
  let masked = bits ^ select(order.positive, order.negative, (bits.y >> 31u) == 1u);
  return minus(masked, order.bias) ^ order.flip;
}

/// The raw bits of a word.
fn bitsOf(word: Key, order: Order) -> Key {
  // Both masks flip the sign bit, or neither does, so it still tells the two cases apart.
  let masked = minus(word ^ order.flip, minus(vec2u(0u), order.bias));
  return masked ^ select(order.negative, order.positive, (masked.y >> 31u) == 1u);
}

/// A word in whose place NaNs are all alike.
fn clampWord(word: Key, order: Order) -> Key {
  let raised = select(word, order.lowest, isLess(word, order.lowest));
  return select(raised, order.highest, isLess(order.highest, raised));
}

/// The pass's digit of a word.
fn digitOf(word: Key, order: Order, pass_: Pass) -> u32 {
  let difference = minus(clampWord(word, order), pass_.bias);
  // A shift by 32 would be one by 0: the upper word is moved in two steps.
  let shift = pass_.shift & 31u;
  let low = (difference.x >> shift) | ((difference.y << (31u - shift)) << 1u);
  return extractBits(select(low, difference.y >> shift, pass_.shift > 31u), 0u, pass_.width);
}
//#end

//#if VALUE_WORDS == 2
alias Value = vec2u;
//#else
alias Value = u32;
//#end

/// A word as a 64-bit number.
//#if KEY_WORDS == 1
fn wide(word: Key) -> vec2u {
  return vec2u(word, 0u);
}
//#else
fn wide(word: Key) -> vec2u {
  return word;
}
//#end
