// The slots of a window of short segments, and the way of its keys through workgroup storage: in
// the order of memory to global memory, KEYS neighbours a lane to registers.
//
// A workgroup is one subgroup, and has SHORT = SUBGROUP_SIZE × KEYS slots. Each segment gets a
// block of them, or all segments together get one.
//
// Reads: SHORT, SUBGROUP_SIZE, KEYS; Window of fragments/segment-state.wgsl.
// Defines: ROW, `pool`, `starts`, NOWHERE, placeOf, slotAt, dealt.
// Workgroup storage: `pool`, 4 × POOL_WORDS × ROW bytes, and 2 × SHORT + 8.

/// Slots, and one free word a lane, so that lanes find theirs in different banks.
const ROW = SHORT + SUBGROUP_SIZE;

var<workgroup> pool: array<u32, POOL_WORDS * ROW>;
/// Where the keys of a block begin in their window, and where they end.
var<workgroup> starts: array<vec2u, SHORT / 4u + 1u>;

const NOWHERE = ~0u;

/// The place in its window of the key that a slot gets, or NOWHERE.
fn placeOf(slot: u32, slots: u32, slotBits: u32) -> u32 {
  let start = starts[slot >> slotBits];
  let place = start.x + (slot & (slots - 1u));
  return select(NOWHERE, place, place < start.y);
}

/// Where a slot is in `pool`: slot i of a lane, lane × KEYS + i, at lane × (KEYS + 1) + i.
fn slotAt(slot: u32) -> u32 {
  return slot + slot / KEYS;
}

/// The same of slot i × SUBGROUP_SIZE + lane, where `atLane` is slotAt(lane). One of SUBGROUP_SIZE
/// and KEYS is a multiple of the other, so that all but `atLane` is known where `i` is.
fn dealt(i: u32, atLane: u32) -> u32 {
  return i * SUBGROUP_SIZE + i * SUBGROUP_SIZE / KEYS + atLane;
}
