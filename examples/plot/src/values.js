/** Response times in milliseconds, made up: one stretch of one array for each service. */

export const SERVICES = [
  { name: 'login', median: 38, spread: 0.35 },
  { name: 'search', median: 55, spread: 0.6 },
  { name: 'basket', median: 24, spread: 0.45 },
  { name: 'payment', median: 120, spread: 0.3 },
  { name: 'images', median: 15, spread: 0.9 },
];

/** `count` values, and where each service's begin: what `sort` calls segments. */
export function makeValues(count) {
  const values = new Float32Array(count);
  const segments = Uint32Array.from(SERVICES, (_, i) => Math.floor((i * count) / SERVICES.length));
  const random = randomNumbers(7);
  SERVICES.forEach(({ median, spread }, i) => {
    const end = segments[i + 1] ?? count;
    for (let at = segments[i]; at < end; at++) {
      // The sum of three is nearly a normal distribution.
      const normal = 2 * (random() + random() + random() - 1.5);
      values[at] = median * Math.exp(spread * normal);
    }
  });
  return { values, segments };
}

/** The values of one service. */
export const valuesOf = ({ values, segments }, i) =>
  values.subarray(segments[i], segments[i + 1] ?? values.length);

/** Numbers from 0 to 1, the same in every run (xorshift: Marsaglia, 2003). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
