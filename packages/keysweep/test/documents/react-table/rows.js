/** Rows for the table, the same in the page and in the test. */

const NAMES = ['Ada', 'Åsa', 'Ben', 'Émile', 'Emil', 'emil', 'Zoë', 'Zoe', 'Noor', 'Örjan'];

/** Numbers from 0 to 2^32 - 1, the same for a seed (xorshift: Marsaglia, 2003). */
function randomNumbers(seed) {
  let state = seed || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** People: some thousand different names, some without a city, and days of birth. */
export function makeRows(seed, count) {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, (_, id) => ({
    id,
    name: `${NAMES[random() % NAMES.length]} ${NAMES[random() % NAMES.length]}${random() % 50}`,
    city: random() % 9 === 0 ? null : NAMES[random() % NAMES.length],
    born: new Date(864e5 * (random() % 20_000)),
  }));
}
