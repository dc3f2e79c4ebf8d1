// Cut rows: the parts of the long rows whose first keys are wanted.
//
// Input: the caller's segments (fragments/first-rows.wgsl). Output: `cuts`, the parts of rows that
// are longer than a part at the front, and those rows at the end, in the order in which threads
// come; `counters`, zero before. Places that do not ascend may make lists run over, and what does
// not fit is left out.
// Any number of workgroups; a thread a segment. Memory: reads 8 bytes a segment, writes 8 a part.
// Workgroup storage and barriers: none.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl

@group(0) @binding(0) var<uniform> order: Order;

//#include fragments/first-rows.wgsl

@compute @workgroup_size(THREADS)
fn cutRows(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let rows = allRows();
  let length = arrayLength(&cuts);
  for (var number = invocation.x; number < rows.count; number += workgroups.x * THREADS) {
    let row = rowOf(number, rows);
    if (row.count <= rows.part) {
      continue;
    }
    let parts = (row.count + rows.part - 1u) / rows.part;
    let longs = atomicAdd(&counters[LONGS_AT], 1u);
    let at = atomicAdd(&counters[PARTS_AT], parts);
    if (longs < MAX_LONGS && at + parts <= length - MAX_LONGS) {
      cuts[length - 1u - longs] = row;
      for (var i = 0u; i < parts; i += 1u) {
        let from_ = i * rows.part;
        cuts[at + i] = Row(row.first + from_, min(rows.part, row.count - from_));
      }
    }
  }
}
