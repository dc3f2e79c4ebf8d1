// Window values: brings the values of a window into order, through `pool`. Part of a function:
// segments/even-sort.wgsl, segments/short-sort.wgsl.
//
// Reads: value_i, the value of slot i × SUBGROUP_SIZE + lane, from_i, where in `pool` is the value
// that has to go there, to_i, its place in the window, or NOWHERE; first, atLane.
// Barriers: between two uses of `pool` by different threads.

//#unroll i in KEYS
//#if VALUE_WORDS == 1
    pool[dealt(i, atLane)] = value_i;
//#else
    pool[dealt(i, atLane)] = value_i.x;
//#end
//#end
    workgroupBarrier(); // the values are there, or their low words
//#if VALUE_WORDS == 1
//#unroll i in KEYS
    if (to_i != NOWHERE) {
      values[first + to_i] = pool[from_i];
    }
//#end
//#else
//#unroll i in KEYS
    let low_i = pool[from_i];
//#end
    workgroupBarrier(); // the low words are read
//#unroll i in KEYS
    pool[dealt(i, atLane)] = value_i.y;
//#end
    workgroupBarrier(); // the high words are there
//#unroll i in KEYS
    if (to_i != NOWHERE) {
      values[first + to_i] = vec2u(low_i, pool[from_i]);
    }
//#end
//#end
