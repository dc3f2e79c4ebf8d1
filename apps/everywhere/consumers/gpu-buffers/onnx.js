import * as ort from 'onnxruntime-web/webgpu';
import { orderOf, playFrames, random } from './frames.js';
import { makeModel } from './onnx-model.js';
import { makeSession, makeTopK } from './onnx-recipe.js';

const [rows, width, tokens, k] = [3, 4, 4000, 40];

/** Small whole numbers: their products and sums are exact, and many are equal. */
const wholes = (length) => Float32Array.from({ length }, () => Math.round(40 * random() - 20));

ort.env.wasm.wasmPaths = '/onnxruntime-web/';
ort.env.wasm.numThreads = 1;
const weights = wholes(width * tokens);
const session = await makeSession(makeModel(weights, width, tokens));
const { topK, dispose } = await makeTopK({ rows, tokens, k });

await playFrames(
  async () => {
    const hidden = wholes(rows * width);
    const inputs = { hidden: new ort.Tensor('float32', hidden, [rows, width]) };
    const { logits } = await session.run(inputs);
    const expected = Array.from({ length: rows }, (_, row) => {
      const products = Float64Array.from({ length: tokens }, (_, token) => {
        let sum = 0;
        for (let i = 0; i < width; i++)
          sum += hidden[row * width + i] * weights[i * tokens + token];
        return sum;
      });
      return [...orderOf(products).subarray(0, k)];
    });
    return [await topK(logits), expected.flat()];
  },
  async () => {
    dispose();
    await session.release();
  },
);
