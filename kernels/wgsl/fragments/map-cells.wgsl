// Map cells: how many buckets each cell of the map gets. Part of a function: hybrid/sample.wgsl,
// its phase 4.
//
// Cells are equally wide, and a cell with a tenth of the sample's keys gets about a tenth of the
// buckets. No cell is without a share, because it may hold keys that the sample has missed. If the
// cells are as even as chance makes them, and there is no gap, the table isn't needed: isLinear.
//
// Reads: lead_0 to lead_(SAMPLE_KEYS - 1), the thread's leads; thread; map; hasGap and firstAbove
// of fragments/map-gap.wgsl; `cellCounts` and `isUneven`, zero; positionOf and fractionOf of
// fragments/map.wgsl; MAP_CELLS, MAP_AT, CELL_SHARE, SAMPLES, SAMPLE_KEYS, RADIX.
// Changes: map.isLinear.
// Defines: last, the last position; `mapCells`, and the same in `scanState`. (cells and position_i
// are its own.)
// Barriers: three: all cells are counted; all counts are judged; the table is there.

  let last = positionOf(map.most, map);
  let cells = (fractionOf(last, map) >> 27u) + 1u;
//#unroll i in SAMPLE_KEYS
  let position_i = positionOf(lead_i, map);
  atomicAdd(&cellCounts[fractionOf(position_i, map) >> 27u], 1u);
//#end
  workgroupBarrier(); // all cells are counted
  if (thread < MAP_CELLS) {
    // By chance alone counts are hardly ever further from their mean than four times its root.
    let mean = f32(SAMPLES) / f32(MAP_CELLS);
    if (abs(f32(atomicLoad(&cellCounts[thread])) - mean) > 4.0 * sqrt(mean)) {
      atomicStore(&isUneven, 1u);
    }
  }
  workgroupBarrier(); // all counts are judged
  map.isLinear = select(1u - atomicLoad(&isUneven), 0u, hasGap);
  if (thread < MAP_CELLS) {
    // No cell is without a share, because it may hold keys that the sample missed.
    var shares = 0u;
    var sharesBelow = 0u;
    for (var cell = 0u; cell < cells; cell += 1u) {
      let share = atomicLoad(&cellCounts[cell]) + CELL_SHARE;
      shares += select(0u, share, cell < thread);
      sharesBelow += select(0u, share, cell < firstAbove);
    }
    let own = select(0u, atomicLoad(&cellCounts[thread]) + CELL_SHARE, thread < cells);
    let all = SAMPLES + cells * CELL_SHARE;
    // No bucket has positions on both sides of the gap.
    let middle = clamp((sharesBelow * RADIX + all / 2u) / all, 1u, RADIX - 1u) << 8u;
    var first = 0u;
    var end = 0u;
    if (firstAbove == MAP_CELLS) {
      first = (shares * 0xffffu) / all;
      end = ((shares + own) * 0xffffu) / all;
    } else if (thread < firstAbove) {
      first = (shares * middle) / sharesBelow;
      end = ((shares + own) * middle) / sharesBelow;
      end = min(end, middle - 1u);
    } else {
      let sharesAbove = max(all - sharesBelow, 1u);
      first = middle + ((shares - sharesBelow) * (0xffffu - middle)) / sharesAbove;
      end = middle + ((shares + own - sharesBelow) * (0xffffu - middle)) / sharesAbove;
    }
    let entry = (first << 16u) | (max(end, first) - first);
    mapCells[thread] = entry;
    atomicStore(&scanState[MAP_AT + thread], entry);
  }
  workgroupBarrier(); // the table is there
