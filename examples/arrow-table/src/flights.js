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

/** Cities, with degrees of latitude and longitude. */
const PLACES = `
  Amsterdam 52.4 4.9, Athens 38 23.7, Bangkok 13.8 100.5, Bogotá 4.7 -74.1, Cairo 30 31.2,
  Chicago 41.9 -87.6, Delhi 28.6 77.2, Dublin 53.3 -6.3, Geneva 46.2 6.1, Hanoi 21 105.8,
  Istanbul 41 29, Jakarta -6.2 106.8, Kyoto 35 135.8, Lagos 6.5 3.4, Lima -12 -77, Lisbon 38.7 -9.1,
  Madrid 40.4 -3.7, Nairobi -1.3 36.8, Oslo 59.9 10.8, Quito -0.2 -78.5, Riga 56.9 24.1,
  Rome 41.9 12.5, Seoul 37.6 127, Sydney -33.9 151.2, Tunis 36.8 10.2, Vienna 48.2 16.4,
  Zürich 47.4 8.5`
  .split(',')
  .map((place) => place.trim().split(' '))
  .map(([name, north, east]) => ({ name, north: Number(north), east: Number(east) }));
const CITIES = PLACES.map(({ name }) => name);
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

/** Kilometres between two cities along a great circle (haversine formula). */
function distanceOf(from, to) {
  const radians = Math.PI / 180;
  const half = (a, b) => Math.sin(((b - a) * radians) / 2) ** 2;
  const across = Math.cos(from.north * radians) * Math.cos(to.north * radians);
  const share = half(from.north, to.north) + across * half(from.east, to.east);
  return 2 * 6371 * Math.asin(Math.sqrt(share));
}

/** Of each two cities: computed once, not for each flight. */
const DISTANCES = PLACES.map((from) => PLACES.map((to) => distanceOf(from, to)));

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
    // Any city but the one before.
    to[i] = (from[i] + 1 + Math.floor((CITIES.length - 1) * random())) % CITIES.length;
    const isLate = random() < 0.3;
    delays[i] = Math.round(isLate ? 240 * random() ** 3 : 30 * random() - 20);
    if (random() < 0.98) valid[i >> 3] |= 1 << (i & 7);
    // Routes differ a little from flight to flight.
    distances[i] = DISTANCES[from[i]][to[i]] * (1 + 0.05 * random());
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
