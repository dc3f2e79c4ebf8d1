/** The page of `first-sorts`: opened anew for each sort. */

import { sortFirst } from './first-sort.js';

Object.assign(globalThis, { sortFirst });
document.title = 'ready';
