import { describeSorter } from './radix-sorter-checks.js';

describeSorter('in a page', 'portable');
