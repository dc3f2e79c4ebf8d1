/**
 * What every consumer does with keysweep: three sorts by 'auto' of a million random keys. `SEED` is
 * written in front of it.
 */
export async function sortThrice({ sort }) {
  const warnings = [];
  for (const level of ['warn', 'error']) {
    const own = console[level];
    console[level] = (...args) => {
      warnings.push(args.join(' '));
      own.apply(console, args);
    };
  }
  let state = SEED;
  const random = () => {
    state = (state + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) ^ (mixed >>> 16);
  };
  const sorts = [];
  for (let i = 0; i < 3; i++) {
    const keys = new Uint32Array(1_000_000).map(random);
    const expected = keys.slice().sort();
    // The last sort shows what serves once threads have started.
    if (i === 2) await new Promise((resolve) => setTimeout(resolve, 200));
    let report;
    await sort(keys, { onReport: (one) => (report = one) });
    sorts.push({
      right: keys.every((key, j) => key === expected[j]),
      backend: report.backend,
      threads: report.threads,
      fallbacks: report.fallbacks.map(({ backend, error }) => `${backend}: ${error}`),
    });
  }
  return { sorts, warnings, isolated: globalThis.crossOriginIsolated === true };
}
