// Counted decision: whether a sort is hybrid, by the counts of all its keys. Part of a function:
// fragments/digit-starts.wgsl. It costs no stage of its own, as a sample does; but buckets begin at
// whole digits, so keys have to be spread over the range of their type.
//
// Output: a sort is hybrid where no bucket of the two highest digits is likely to have over four
// times as many keys as others, and no cell stands out.
//
// Reads: `fullest`, `shared_`, samples, count, order.
// Defines: ways, lowFullest, highFullest, isHybrid, telling. (fullness, mean, isFlat,
// isEven, isLong are its own.)

    let ways = ~atomicLoad(&shared_) & ((1u << MAX_PASSES) - 1u);
    let lowFullest = atomicLoad(&fullest[MAX_PASSES - 2u]);
    let highFullest = atomicLoad(&fullest[MAX_PASSES - 1u]);
    // How much fuller than all the fullest bucket is, if the two digits do not depend on each
    // other. A batch has to hold it.
    let mean = f32(count) / f32(RADIX);
    let fullness = f32(lowFullest) / mean * (f32(highFullest) / mean);
    let isEven = fullness <= 4.0 && fullness * f32(count) <= f32(BATCH_AIM) * f32(BUCKETS);
    // What keys that are evenly spread hardly ever reach: digits may depend on each other.
    let inCell = f32(samples) / f32(RADIX);
    let isFlat = f32(atomicLoad(&fullest[MAX_PASSES])) <= inCell + 6.0 * sqrt(inCell) + 8.0;
    // Sweeps would leave out the other digits.
    let isLong = countOneBits(ways) > MAX_PASSES / 2u + 1u;
    let isWorth = count >= order.minHybrid && isLong && isEven && isFlat;
    let isHybrid = order.minHybrid == 0u || isWorth;
    let telling = select(ways, 3u << (MAX_PASSES - 2u), isHybrid);
