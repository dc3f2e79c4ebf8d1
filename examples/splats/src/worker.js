/** Sorts in a thread of its own, where nothing waits for it: so it can sort at once. */

import { argsortSync } from 'keysweep/sync';
import { FAR_TO_NEAR, writeDepths } from './depths.js';

let positions;
let depths;

self.onmessage = ({ data }) => {
  if (data.positions) {
    positions = data.positions;
    depths = new Float32Array(positions.length / 3);
    return;
  }
  writeDepths(positions, data.view, depths);
  const order = argsortSync(depths, { ...FAR_TO_NEAR, out: data.spare });
  // The array itself goes back, and no copy of it.
  postMessage(order, { transfer: [order.buffer] });
};
