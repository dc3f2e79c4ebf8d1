/** Batcher's bitonic network, step by step: keysweep's sort in fragment shaders (WebGL2). */

import { type Animation, type Frame, initialOrder } from './frame.js';

/** The network; the number of keys is a power of two. */
export function bitonic(keys: Uint16Array): Animation {
  const { length } = keys;
  const stages = Math.log2(length);
  const frames: Frame[] = [];
  let order = initialOrder(length);
  const add = (title: string, text: string, block: number): void => {
    // The present stage sorts blocks in ascending and descending order alternately.
    const of = new Uint8Array(length);
    order.forEach((id, position) => {
      of[id] = (position & block) === 0 ? 0 : 1;
    });
    frames.push({ title, text, order, groups: { of, count: 2 } });
  };
  add(
    'The input',
    'A network compares the same positions for all inputs. Two colours: blocks ' +
      'that will ascend, and blocks that will descend.',
    2,
  );
  for (let stage = 1; stage <= stages; stage++) {
    const block = 2 ** stage;
    for (let step = stage - 1; step >= 0; step--) {
      order = compare(keys, order, 2 ** step, block);
      const isLast = step === 0;
      const text = isLast
        ? `Runs of ${block} keys are in order, upwards and downwards alternately: two ` +
          'neighbours make one bitonic sequence.'
        : `Keys ${2 ** step} apart were compared, and exchanged where they were in the ` +
          'wrong order.';
      const fused = ' keysweep’s fragment shaders do two or three such steps in one pass.';
      add(
        `Stage ${stage} of ${stages}, distance ${2 ** step}`,
        stage === stages && isLast ? 'Sorted.' : text + (stage === 1 ? fused : ''),
        isLast ? block * 2 : block,
      );
    }
  }
  return { keys, frames };
}

/**
 * Compares every key with the one `distance` away. Blocks ascend and descend alternately; a block of
 * all keys ascends.
 */
function compare(
  keys: Uint16Array,
  before: Uint16Array,
  distance: number,
  block: number,
): Uint16Array {
  const order = before.slice();
  for (let i = 0; i < order.length; i++) {
    const j = i ^ distance;
    if (j < i) continue;
    const [a, b] = [order[i] as number, order[j] as number];
    const ascends = (i & block) === 0 || block === order.length;
    if ((keys[a] as number) > (keys[b] as number) === ascends) {
      order[i] = b;
      order[j] = a;
    }
  }
  return order;
}
