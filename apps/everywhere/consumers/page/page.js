import * as keysweep from 'keysweep';
import { sortThrice } from './program.mjs';

sortThrice(keysweep).then((outcome) => {
  globalThis.outcome = outcome;
});
