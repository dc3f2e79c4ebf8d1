/** The twin of kernels/wgsl/segments/windows.wgsl. */

/** Neighbouring short segments: keys from `first` on, and the slots of each, or of all. */
export interface Window {
  readonly first: number;
  readonly count: number;
  readonly segments: number;
  readonly slots: number;
}

export interface Windows {
  /** Those with equally many slots for each segment, if `isNarrow`. */
  readonly even: readonly Window[];
  readonly mixed: readonly Window[];
}

const slotsFor = (count: number): number => Math.max(4, 2 ** Math.ceil(Math.log2(count)));

/** Windows of segments at `starts`, up to `end`, both counted from the first key. */
export function windows(
  starts: readonly number[],
  end: number,
  short: number,
  window: number,
  isNarrow: boolean,
): Windows {
  const even: Window[] = [];
  const mixed: Window[] = [];
  const list = (from: number, to: number): void => {
    const own = [...starts.slice(from, to), starts[to] ?? end];
    const lengths = own.slice(1).map((start, i) => start - (own[i] as number));
    const longest = Math.max(0, ...lengths);
    if (longest < 2) return;
    const [first, segments] = [own[0] as number, to - from];
    const count = (own.at(-1) as number) - first;
    const slots = slotsFor(longest);
    if (slots * segments <= short) {
      (isNarrow ? even : mixed).push({ first, count, segments, slots });
    } else if (isNarrow && slots * segments <= 2 * short) {
      const half = short / slots;
      const middle = own[half] as number;
      even.push({ first, count: middle - first, segments: half, slots });
      even.push({ first: middle, count: first + count - middle, segments: segments - half, slots });
    } else {
      mixed.push({ first, count, segments, slots: slotsFor(count) });
    }
  };
  for (let from = 0; from < starts.length; ) {
    const at = Math.floor((starts[from] as number) / window);
    let to = from;
    while (to < starts.length && Math.floor((starts[to] as number) / window) === at) to++;
    const last = starts[to - 1] as number;
    const next = starts[to] ?? end;
    // The last one by itself, where all of them do not fit.
    if (next - (starts[from] as number) <= short) list(from, to);
    else {
      if (to - 1 > from) list(from, to - 1);
      if (next - last <= short) list(to - 1, to);
    }
    from = to;
  }
  return { even, mixed };
}
