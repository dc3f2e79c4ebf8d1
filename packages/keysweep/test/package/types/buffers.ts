/** The names that TypeScript 5.7 brought: older versions have no type arguments of arrays. */

import { argsort, toSorted } from 'keysweep';

export async function copies(shared: Int16Array<SharedArrayBuffer>): Promise<void> {
  const order: Uint32Array<ArrayBuffer> = await argsort(shared);
  const copy: Int16Array<ArrayBuffer> = await toSorted(shared);
  console.log(order, copy);
}
