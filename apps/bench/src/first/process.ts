/** A process that sorts once: `process.js WHO TYPE LENGTH SEED` prints what it took, as JSON. */

import type { FirstCase, SorterName } from './first-sort.js';
import { sortFirst } from './first-sort.js';

const [who, keyType, length, seed] = process.argv.slice(2);
const one = { keyType, length: Number(length) } as FirstCase;
console.log(JSON.stringify(await sortFirst(who as SorterName, one, Number(seed))));
