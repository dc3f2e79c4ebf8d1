// For formats that have no top-level await.
import * as keysweep from 'keysweep';
import { sortThrice } from './program.mjs';

sortThrice(keysweep).then((outcome) => console.log(JSON.stringify(outcome)));
