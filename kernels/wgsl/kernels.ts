/**
 * Every kernel: its file, and its entry point there. Those of a sort are in the order in which they
 * run. A file may serve several kernels that differ in their constants: specialization.ts.
 */
export const KERNELS = {
  // As many keys as a workgroup holds.
  workgroupSort: { file: 'workgroup-sort', entryPoint: 'sortWorkgroup' },
  tileSort: { file: 'chained-scan/tile-sort', entryPoint: 'sortTile' },
  // Reduce-then-scan.
  survey: { file: 'reduce-then-scan/survey', entryPoint: 'survey' },
  plan: { file: 'reduce-then-scan/plan', entryPoint: 'makePlan' },
  upsweep: { file: 'reduce-then-scan/upsweep', entryPoint: 'upsweep' },
  spine: { file: 'reduce-then-scan/spine', entryPoint: 'scanSpine' },
  downsweep: { file: 'reduce-then-scan/downsweep', entryPoint: 'downsweep' },
  copyBack: { file: 'copy-back', entryPoint: 'copyBack' },
  // A sort by regular sampling.
  sortRuns: { file: 'regular-sampling/sort-runs', entryPoint: 'sortRun' },
  sortBuckets: { file: 'regular-sampling/sort-buckets', entryPoint: 'sortBucket' },
  // A chained scan.
  histogram: { file: 'chained-scan/histogram', entryPoint: 'countDigits' },
  firstSweep: { file: 'chained-scan/sweep', entryPoint: 'sweep' },
  sweep: { file: 'chained-scan/sweep', entryPoint: 'sweep' },
  // A hybrid sort by a map, before one of these; its last stage also follows a chained scan.
  sample: { file: 'hybrid/sample', entryPoint: 'sampleKeys' },
  countBuckets: { file: 'chained-scan/histogram', entryPoint: 'countDigits' },
  splitBuckets: { file: 'chained-scan/sweep', entryPoint: 'sweep' },
  countBins: { file: 'hybrid/count-bins', entryPoint: 'countBins' },
  cutBatches: { file: 'hybrid/cut-batches', entryPoint: 'cutBatches' },
  splitBins: { file: 'chained-scan/sweep', entryPoint: 'sweep' },
  batchSort: { file: 'hybrid/batch-sort', entryPoint: 'sortBatch' },
  // What goes with any sort: several columns, indices as values, the next dispatch.
  gather: { file: 'gather', entryPoint: 'gather' },
  identity: { file: 'identity', entryPoint: 'makeIdentity' },
  dispatchSize: { file: 'dispatch-size', entryPoint: 'writeSize' },
  // More keys than one binding holds.
  chunkCounts: { file: 'chunks/chunk-counts', entryPoint: 'countChunks' },
  mergeChunks: { file: 'chunks/merge-chunks', entryPoint: 'mergeChunks' },
  // Segments, on any device.
  segmentBounds: { file: 'segments/bounds', entryPoint: 'boundSegments' },
  segmentGroups: { file: 'segments/groups', entryPoint: 'groupSegments' },
  segmentIndices: { file: 'segments/indices', entryPoint: 'makeIndices' },
  segmentSort: { file: 'workgroup-sort', entryPoint: 'sortWorkgroup' },
  longOffsets: { file: 'segments/long-offsets', entryPoint: 'addLengths' },
  takeLong: { file: 'segments/long-keys', entryPoint: 'takeKeys' },
  numberLong: { file: 'segments/long-keys', entryPoint: 'numberSegments' },
  gatherLong: { file: 'segments/long-moves', entryPoint: 'gatherColumn' },
  putLong: { file: 'segments/long-moves', entryPoint: 'putColumn' },
  // Segments, on devices with subgroups.
  clearMarks: { file: 'segments/clear', entryPoint: 'clearMarks' },
  markSegments: { file: 'segments/marks', entryPoint: 'markSegments' },
  findWindows: { file: 'segments/windows', entryPoint: 'findWindows' },
  evenSort: { file: 'segments/even-sort', entryPoint: 'sortEven' },
  shortSort: { file: 'segments/short-sort', entryPoint: 'sortShort' },
  evenSingles: { file: 'segments/even-sort', entryPoint: 'sortEven' },
  shortSingles: { file: 'segments/short-sort', entryPoint: 'sortShort' },
  fewerSort: { file: 'segments/middle-sort', entryPoint: 'sortMiddle' },
  middleSort: { file: 'segments/middle-sort', entryPoint: 'sortMiddle' },
  cutLong: { file: 'segments/long-tiles', entryPoint: 'cutLong' },
  countLong: { file: 'segments/long-histogram', entryPoint: 'countLong' },
  startLong: { file: 'segments/long-starts', entryPoint: 'startLong' },
  longFirstSweep: { file: 'segments/long-sweep', entryPoint: 'sweepLong' },
  longSweep: { file: 'segments/long-sweep', entryPoint: 'sweepLong' },
  // The first keys of segments.
  firstOfShort: { file: 'segments/first-keys', entryPoint: 'takeFirst' },
  cutRows: { file: 'segments/cut-rows', entryPoint: 'cutRows' },
  firstOfRows: { file: 'segments/first-keys', entryPoint: 'takeFirst' },
  firstOfLong: { file: 'segments/first-keys', entryPoint: 'takeFirst' },
} as const;

export type Kernel = keyof typeof KERNELS;
