// How many keys there are and where the first one is: numbers that the host put into the command itself.
//
// A command cannot carry a number, and writing one to a buffer is not a command: a sorter that was recorded twice
// with two counts would see the later one only. But a command can say where in a buffer a uniform lies. So each
// byte of the count is a uniform of its own, and the offset is another, bound with a dynamic offset into a table of the numbers 0 to 255.
//
// A count that only the GPU knows is read from the caller's buffer: byte 3 is 255, which no direct count
// reaches, and byte 0 is the count's index in the bound part of the buffer.

@group(1) @binding(0) var<uniform> count0: u32;
@group(1) @binding(1) var<uniform> count1: u32;
@group(1) @binding(2) var<uniform> count2: u32;
@group(1) @binding(3) var<uniform> count3: u32;
/// Of the first key in the binding, which begins at most 63 before it.
@group(1) @binding(4) var<uniform> offset: u32;
@group(1) @binding(5) var<storage, read> counts: array<u32>;

fn keyCount(maxCount: u32) -> u32 {
  if (count3 == COUNT_IN_BUFFER) {
    return min(counts[count0], maxCount);
  }
  return count0 | (count1 << 8u) | (count2 << 16u) | (count3 << 24u);
}
