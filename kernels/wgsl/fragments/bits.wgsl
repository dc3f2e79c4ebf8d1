// Bits of 64-bit numbers, low word first. Reads: nothing. Defines: nextBit, bitLength, lowBits.

/// The number of the lowest bit of `bits` that is set at `from_` or above; 64 if there is none.
fn nextBit(bits: vec2u, from_: u32) -> u32 {
  let low = select(bits.x & (0xffffffffu << (from_ & 31u)), 0u, from_ > 31u);
  if (low != 0u) {
    return countTrailingZeros(low);
  }
  let high = select(bits.y, bits.y & (0xffffffffu << (from_ & 31u)), from_ > 31u);
  if (high != 0u && from_ < 64u) {
    return 32u + countTrailingZeros(high);
  }
  return 64u;
}

/// The number of bits up to the highest that is set; 0 for 0.
fn bitLength(bits: vec2u) -> u32 {
  return select(32u - countLeadingZeros(bits.x), 64u - countLeadingZeros(bits.y), bits.y != 0u);
}

/// A number whose lowest `count` bits are set, and no others.
fn lowBits(count: u32) -> vec2u {
  return vec2u(
    extractBits(0xffffffffu, 0u, min(count, 32u)),
    extractBits(0xffffffffu, 0u, max(count, 32u) - 32u),
  );
}
