// Dispatch size: how many workgroups the caller's next dispatch takes over the sorted keys, if one
// takes `size` of them.
//
// For example, 1,000 keys by 256 take 4 workgroups: 4, 1, 1. They come in rows, because x may have
// no more than MAX_ROW, so the last row may have some too many.
//
// Input: as many keys as fragments/command-numbers.wgsl says, whose offset is where the result
// goes; the four bytes of `size`, lowest first.
// Output: `sizes`, three words that begin at the offset: workgroups in x, y and z.
// One workgroup; one of its threads works. Memory: writes 12 bytes. Workgroup storage and barriers:
// none.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(2) @binding(0) var<storage, read_write> sizes: array<u32>;
@group(2) @binding(1) var<uniform> size0: u32;
@group(2) @binding(2) var<uniform> size1: u32;
@group(2) @binding(3) var<uniform> size2: u32;
@group(2) @binding(4) var<uniform> size3: u32;

/// Workgroups in one dimension that every device allows.
const MAX_ROW = 65535u;

@compute @workgroup_size(1)
fn writeSize() {
  let size = size0 | (size1 << 8u) | (size2 << 16u) | (size3 << 24u);
  let groups = (keyCount(order.maxCount) + size - 1u) / size;
  let rows = max((groups + MAX_ROW - 1u) / MAX_ROW, 1u);
  sizes[offset] = (groups + rows - 1u) / rows;
  sizes[offset + 1u] = rows;
  sizes[offset + 2u] = 1u;
}
