// The order of keys: raw bits to words that compare as plain binary numbers, and back; a word's digit.
//
// Shared by all kernels of the radix sort; put in front of each. Constants: KEY_WORDS (1 or 2 32-bit
// words a key), MAX_PASSES, VALUE_WORDS (0, 1 or 2), THREADS, KEYS (keys a thread), and what follows from them.
//
// The transform is core's (packages/core/src/transform.ts), its numbers a uniform, so that one pipeline
// serves all key types of a width in both orders:
//   word = ((bits ^ (sign bit ? negative : positive)) - bias) ^ flip       modulo 2^width
// `flip` is all ones when descending. Words outside [lowest, highest] are NaNs: ties, though their bits differ.

struct Order {
  negative: vec2u,
  positive: vec2u,
  bias: vec2u,
  flip: vec2u,
  lowest: vec2u,
  highest: vec2u,
  /// Bits that decide the order: those of `keyBits`, else all.
  mask: vec2u,
  /// Most blocks that the spine has room for, which is also the length of its rows.
  maxBlocks: u32,
  /// Fewest tiles a block.
  minTiles: u32,
  maxCount: u32,
  /// 1 when the range limiter may take a bias away: not with `keyBits`.
  mayShift: u32,
  surveyGroups: u32,
}

//#if APPROXIMATE
/// How floats become codes of 24 bits: see codeOf.
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
  /// Of the first key in the source and the target; the caller's buffers have one, scratch has none.
  sourceOffset: u32,
  targetOffset: u32,
//#if APPROXIMATE
  scale: Scale,
//#end
}

/// What the GPU finds out before the first pass (plan.wgsl).
struct Plan {
  count: u32,
  offset: u32,
  tilesPerBlock: u32,
  blocks: u32,
  passesRun: u32,
  passesSkipped: u32,
  /// Exponent and shift of an approximate sort's scale, for the host's bound.
  scale: vec2u,
  /// Threads that scan one row of the spine: a power of two.
  spineLanes: u32,
  passes: array<Pass, MAX_PASSES>,
}

alias Indirect = array<u32, DISPATCH_WORDS>;

//#if KEY_WORDS == 1
alias Key = u32;

fn wordOf(bits: Key, order: Order) -> Key {
  let masked = bits ^ select(order.positive.x, order.negative.x, (bits >> 31u) == 1u);
  return (masked - order.bias.x) ^ order.flip.x;
}

fn minus(a: Key, b: Key) -> Key {
  return a - b;
}

fn bitsOf(word: Key, order: Order) -> Key {
  // The masks flip the sign bit in both cases or in none, so it still tells them apart.
  let masked = (word ^ order.flip.x) + order.bias.x;
  return masked ^ select(order.negative.x, order.positive.x, (masked >> 31u) == 1u);
}

fn clampWord(word: Key, order: Order) -> Key {
  return clamp(word, order.lowest.x, order.highest.x);
}

//#if APPROXIMATE
/// A finite float as a whole multiple of 2^(exponent - 156), rounded towards 0: below 2^30 in magnitude.
fn fixedOf(bits: u32, exponent: u32) -> i32 {
  let own = extractBits(bits, 23u, 8u);
  let mantissa = extractBits(bits, 0u, 23u) | select(0x800000u, 0u, own == 0u);
  let magnitude = i32((mantissa << FIXED_POINT_BITS) >> min(exponent - max(own, 1u), 31u));
  return select(magnitude, -magnitude, (bits >> 31u) == 1u);
}

/// The 24-bit normalised float mapping of Ha, Krüger and Silva, 2.3, in whole numbers, so that two
/// shaders can't differ in rounding: -Infinity, finite keys in equal steps from the smallest to the largest, Infinity, NaN.
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

fn digitOf(word: Key, order: Order, pass_: Pass) -> u32 {
  return extractBits(codeOf(word, order, pass_.scale), pass_.shift, pass_.width);
}
//#else
fn digitOf(word: Key, order: Order, pass_: Pass) -> u32 {
  return extractBits(clampWord(word, order) - pass_.bias.x, pass_.shift, pass_.width);
}
//#end
//#else
alias Key = vec2u;

fn isLess(a: Key, b: Key) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn minus(a: Key, b: Key) -> Key {
  return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn wordOf(bits: Key, order: Order) -> Key {
  let masked = bits ^ select(order.positive, order.negative, (bits.y >> 31u) == 1u);
  return minus(masked, order.bias) ^ order.flip;
}

fn bitsOf(word: Key, order: Order) -> Key {
  // The masks flip the sign bit in both cases or in none, so it still tells them apart.
  let masked = minus(word ^ order.flip, minus(vec2u(0u), order.bias));
  return masked ^ select(order.negative, order.positive, (masked.y >> 31u) == 1u);
}

fn clampWord(word: Key, order: Order) -> Key {
  let raised = select(word, order.lowest, isLess(word, order.lowest));
  return select(raised, order.highest, isLess(order.highest, raised));
}

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

//#if KEY_WORDS == 1
fn wide(word: Key) -> vec2u {
  return vec2u(word, 0u);
}
//#else
fn wide(word: Key) -> vec2u {
  return word;
}
//#end
