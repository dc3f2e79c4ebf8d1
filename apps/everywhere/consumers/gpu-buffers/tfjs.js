import * as tf from '@tensorflow/tfjs-core';
import { COUNT, playDepths } from './frames.js';
import { makeArgsort, useWebGPU } from './tfjs-recipe.js';

await useWebGPU();
const { argsort, dispose } = await makeArgsort(COUNT);
const before = tf.memory().numTensors;

await playDepths(
  async (numbers) => {
    const source = tf.tensor1d(numbers);
    const depths = tf.neg(source);
    const order = argsort(depths);
    const ordered = tf.gather(depths, order);
    const [indices, sorted] = await Promise.all([order.data(), ordered.data()]);
    tf.dispose([source, depths, order, ordered]);
    const wrong = sorted.findIndex((depth, i) => depth !== -numbers[indices[i]]);
    if (wrong >= 0) throw new Error(`the gathered tensor is wrong at ${wrong}`);
    return indices;
  },
  () => {
    dispose();
    const tensors = tf.memory().numTensors - before;
    if (tensors !== 0) throw new Error(`${tensors} tensors are left`);
  },
);
