/**
 * Sorts arrays that are in some order, or nearly, and prints how many, and what was wrong:
 * `in-order.mjs SEED`. An engine whose own sort makes one NaN of all is given floats as integers.
 */

import { fillSpecial, Random } from '@keysweep/conformance/data';
import { faultOfKeys } from '@keysweep/conformance/verify';
import { sort, warmUp } from 'keysweep';

// The code that looks at the order comes with what larger arrays need.
await warmUp(1);
const random = new Random(Number(process.argv[2]));
const TYPES = [Float32Array, Float64Array, Int32Array, Uint32Array, BigInt64Array];
const faults = [];
let cases = 0;

/** Three NaNs at `at`, with any bits; the first one's highest byte is `first`. */
function withNaNs(keys, at, first = 0x7f) {
  const width = keys.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(keys.buffer);
  for (let i = at; i < at + 3; i++) {
    for (let byte = 0; byte < width - 2; byte++) bytes[i * width + byte] = random.below(256);
    bytes.set([0xf8 + random.below(8), i === at ? first : 0xff], (i + 1) * width - 2);
  }
  return keys;
}

function swapped(keys, at) {
  const [a, b] = [keys.slice(at, at + 1), keys.slice(at + 1, at + 2)];
  keys.set(b, at);
  keys.set(a, at + 1);
  return keys;
}

for (const Type of TYPES) {
  const isFloat = Type === Float32Array || Type === Float64Array;
  for (const length of [300, 5000, 70_000]) {
    const keys = new Type(length);
    fillSpecial(keys, random);
    // NaNs make way: their bits would be lost by the sort that makes the input.
    for (let i = 0; i < length; i++) if (Number.isNaN(keys[i])) keys[i] = i;
    const rising = keys.sort();
    const inputs = {
      rising,
      falling: rising.slice().reverse(),
      equal: rising.slice().fill(rising[random.below(length)]),
      'swapped early': swapped(rising.slice(), random.below(length >> 1)),
      'swapped late': swapped(rising.slice(), (length >> 1) + random.below((length >> 1) - 1)),
    };
    if (isFloat) {
      inputs['NaNs behind'] = withNaNs(rising.slice(), length - 3);
      inputs['NaNs within'] = withNaNs(rising.slice(), random.below(length - 3));
      inputs['all below 0'] = rising.map((key, i) => (key < 0 ? key : -1 / (i + 1))).sort();
      const within = 1 + random.below(length - 5);
      inputs['NaNs with signs'] = withNaNs(inputs['all below 0'].slice(), within, 0xff);
    }
    for (const [what, input] of Object.entries(inputs)) {
      for (const order of ['ascending', 'descending']) {
        cases++;
        const fault = faultOfKeys(await sort(input.slice(), { order }), input, { order });
        if (fault !== undefined) faults.push(`${Type.name} ${length} ${what} ${order}: ${fault}`);
      }
    }
  }
}
console.log(JSON.stringify({ cases, faults }));
