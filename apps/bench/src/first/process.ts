/** `process.js WHO TYPE LENGTH BEFORE SEED` sorts, and prints what the last sort took, as JSON. */

import type { FirstCase, SorterName } from './first-sort.js';
import { sortFirst } from './first-sort.js';

const [who, keyType, length, before, seed] = process.argv.slice(2);
const one = { keyType, length: Number(length), before: Number(before) } as FirstCase;
console.log(JSON.stringify(await sortFirst(who as SorterName, one, Number(seed))));
