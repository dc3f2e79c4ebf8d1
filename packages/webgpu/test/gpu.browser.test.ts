import { expect, it } from 'vitest';
import { describeGpu } from './gpu-checks.js';

describeGpu('in a page', globalThis);

it("findGpu in a page's worker finds the worker's own", async () => {
  const module = new URL('../src/device/gpu-page.ts', import.meta.url).href;
  const code = `
    import { findGpu } from ${JSON.stringify(module)};
    postMessage((await findGpu()) === navigator.gpu && typeof navigator.gpu);`;
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const worker = new Worker(url, { type: 'module' });
  const answer = await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
  worker.terminate();
  URL.revokeObjectURL(url);
  expect(answer).toBe('object');
});
