/**
 * A table of flights, made up. Yours may come from a file or a database:
 * `const table = await tableFromIPC(fetch('flights.arrow'))`.
 */

import {
  DateDay,
  Dictionary,
  Int8,
  Int16,
  makeVector,
  Table,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';

const CITIES = [
  ...['Amsterdam', 'Athens', 'Bangkok', 'Bogotá', 'Cairo', 'Chicago', 'Delhi', 'Dublin'],
  ...['Geneva', 'Hanoi', 'Istanbul', 'Jakarta', 'Kyoto', 'Lagos', 'Lima', 'Lisbon', 'Madrid'],
  ...['Nairobi', 'Oslo', 'Quito', 'Riga', 'Rome', 'Seoul', 'Sydney', 'Tunis', 'Vienna', 'Zürich'],
];
const FIRST_DAY = Date.UTC(2026, 0, 1) / 86_400_000;

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

export function makeFlights(count) {
  const random = randomNumbers(7);
  const days = new Int32Array(count);
  const [from, to] = [new Int8Array(count), new Int8Array(count)];
  const delays = new Int16Array(count);
  // Arrow's bitmap of the rows that have a value: bit i % 8 of byte i / 8.
  const valid = new Uint8Array(Math.ceil(count / 8));
  const distances = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    days[i] = FIRST_DAY + Math.floor(365 * random());
    from[i] = Math.floor(CITIES.length * random());
    to[i] = Math.floor(CITIES.length * random());
    const isLate = random() < 0.3;
    delays[i] = Math.round(isLate ? 240 * random() ** 3 : 30 * random() - 20);
    if (random() < 0.98) valid[i >> 3] |= 1 << (i & 7);
    distances[i] = 300 + 12_000 * random() ** 2;
  }
  const cityNames = vectorFromArray(CITIES, new Utf8());
  // A dictionary: each row holds the number of a city. keysweep sorts such rows by the names.
  const cities = (data) =>
    makeVector({ type: new Dictionary(new Utf8(), new Int8()), data, dictionary: cityNames });
  return new Table({
    date: makeVector({ type: new DateDay(), data: days }),
    from: cities(from),
    to: cities(to),
    delay: makeVector({ type: new Int16(), data: delays, nullBitmap: valid }),
    distance: makeVector(distances),
  });
}
