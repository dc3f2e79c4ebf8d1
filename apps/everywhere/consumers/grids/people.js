/** Rows for grids: `?seed=…` says which. */

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

const random = randomNumbers(Number(new URLSearchParams(location.search).get('seed')));

export const people = Array.from({ length: 5000 }, (_, id) => ({
  id,
  name: `${NAMES[random() % NAMES.length]} ${random() % 99}`,
  city: random() % 9 === 0 ? null : NAMES[random() % NAMES.length],
  age: random() % 100,
}));

export const collator = new Intl.Collator('en', { numeric: true });
