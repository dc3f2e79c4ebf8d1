import './software-gpu.js';

import { describeSorter } from './radix-sorter-checks.js';

describeSorter('in Node', 'chained');
