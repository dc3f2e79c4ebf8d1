/** Real tables for tests. */

import { fileURLToPath } from 'node:url';

/** The path of a file of the vega-datasets package, such as its three million flights. */
export function dataset(name: string): string {
  return fileURLToPath(new URL(`../data/${name}`, import.meta.resolve('vega-datasets')));
}
