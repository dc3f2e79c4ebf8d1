import { sortAndCompare } from './sort.js';

addEventListener('message', async ({ data }) => postMessage(await sortAndCompare(data)));
