/** The examples as cards. */

import { defineLoader } from 'vitepress';
import { type Example, readExamples } from '../live.js';

declare const data: readonly Example[];

export { data };

// While documents are written nothing is built: the site that is served then has no live pages.
const { NODE_ENV } = process.env;

export default defineLoader({
  watch: '../../../examples/*/README.md',
  load: (): Promise<Example[]> => readExamples(NODE_ENV === 'production'),
});
