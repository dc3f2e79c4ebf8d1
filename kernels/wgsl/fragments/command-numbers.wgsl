// How many keys there are, and where the first one is: numbers that are part of the recorded
// command.
//
// A command cannot carry a number, and writing one to a buffer is not part of a command: of a
// sorter recorded twice, both sorts would see the second count. A command can carry where in a
// buffer a uniform begins. So each byte of the count is a uniform of its own, the offset is
// another, and a dynamic offset points each into a table of the numbers 0 to 255
// (packages/webgpu/src/sorter/recording/uniforms.ts).
//
// A count that only the GPU knows is read from the caller's buffer: byte 3 is then
// COUNT_IN_BUFFER, which no direct count reaches, and byte 0 is the count's index in the bound
// part of the buffer.
//
// Reads: COUNT_IN_BUFFER. Defines: the bindings of group 1, keyCount.

@group(1) @binding(0) var<uniform> count0: u32;
@group(1) @binding(1) var<uniform> count1: u32;
@group(1) @binding(2) var<uniform> count2: u32;
@group(1) @binding(3) var<uniform> count3: u32;
/// The index of the first key in the binding, from 0 to 63.
@group(1) @binding(4) var<uniform> offset: u32;
@group(1) @binding(5) var<storage, read> counts: array<u32>;

/// The number of keys, at most `maxCount`.
fn keyCount(maxCount: u32) -> u32 {
  if (count3 == COUNT_IN_BUFFER) {
    return min(counts[count0], maxCount);
  }
  return count0 | (count1 << 8u) | (count2 << 16u) | (count3 << 24u);
}
