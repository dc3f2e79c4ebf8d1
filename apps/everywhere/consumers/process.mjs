import * as keysweep from 'keysweep';
import { sortThrice } from './program.mjs';

console.log(JSON.stringify(await sortThrice(keysweep)));
