// Chunk counts: how many keys each chunk has, if one binding cannot hold all keys. Chunks are
// equally long, and each begins with its binding; `offset` places of the first one are not sorted.
//
// For example, 250 keys in chunks of 128 places, with the offset 10: 118, 128, 4, 0, 0, …
//
// Input: as many keys as fragments/command-numbers.wgsl says, from there; the four bytes of the
// length of a chunk, lowest first.
// Output: `chunkCounts`, MAX_CHUNKS + 1 counts; after the last chunk they are 0.
// One workgroup. Memory: writes 4 bytes a chunk. Workgroup storage and barriers: none.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(2) @binding(0) var<storage, read_write> chunkCounts: array<u32>;
@group(2) @binding(1) var<uniform> length0: u32;
@group(2) @binding(2) var<uniform> length1: u32;
@group(2) @binding(3) var<uniform> length2: u32;
@group(2) @binding(4) var<uniform> length3: u32;

@compute @workgroup_size(THREADS)
fn countChunks(@builtin(local_invocation_index) chunk: u32) {
  if (chunk > MAX_CHUNKS) {
    return;
  }
  let length = length0 | (length1 << 8u) | (length2 << 16u) | (length3 << 24u);
  // A product of chunk and length might have more than 32 bits.
  let end = offset + keyCount(order.maxCount);
  let whole = end / length;
  let places = select(select(0u, end % length, chunk == whole), length, chunk < whole);
  chunkCounts[chunk] = places - select(0u, offset, chunk == 0u);
}
