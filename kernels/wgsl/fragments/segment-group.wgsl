// A group of neighbouring segments that one workgroup sorts: workgroup-sort.wgsl,
// segments/groups.wgsl.
//
// Defines: SegmentGroup.

/// Keys [first, end) are segments [firstSegment, endSegment).
struct SegmentGroup {
  first: u32,
  end: u32,
  firstSegment: u32,
  endSegment: u32,
}
