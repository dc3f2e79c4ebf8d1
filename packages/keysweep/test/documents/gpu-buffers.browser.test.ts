/** The recipes of docs/gpu-buffers.md for WebGPU itself and for three.js, as they stand there. */

import { runSeed } from '@keysweep/conformance/data';
import { RadixSorter } from '@keysweep/webgpu';
// @ts-expect-error: three has no types of its own
import * as tsl from 'three/tsl';
// @ts-expect-error: three has no types of its own
import * as three from 'three/webgpu';
import { expect, it } from 'vitest';
// @ts-expect-error: Vite gives the text of a file
import text from '../../../../docs/gpu-buffers.md?raw';
import { TEXTURE_CANVAS } from '../../../../tools/test/example-canvas.js';
import { testRandom } from '../../../../tools/test/random.js';

/** What a recipe imports. */
const MODULES: Record<string, Record<string, unknown>> = {
  '@keysweep/webgpu': { RadixSorter },
  'three/tsl': tsl,
  'three/webgpu': three,
};

/** Labels of buffers that are not destroyed yet. */
const live = new Map<GPUBuffer, string>();
const { createBuffer } = GPUDevice.prototype;
GPUDevice.prototype.createBuffer = function (descriptor) {
  const buffer = createBuffer.call(this, descriptor);
  live.set(buffer, descriptor.label ?? '');
  return buffer;
};
const { destroy } = GPUBuffer.prototype;
GPUBuffer.prototype.destroy = function () {
  live.delete(this);
  return destroy.call(this);
};

/** Labels of keysweep's buffers. */
const ours = (): string[] => [...live.values()].filter((label) => label.startsWith('keysweep'));

/** What all sorters of a device share, for as long as it lives. */
const SHARED = ['keysweep numbers'];

declare global {
  /** Shows the last frame, once there is one. */
  var present: (() => Promise<void>) | undefined;
}

const random = testRandom();
const COUNT = 4000;

/** Runs the first block of code after `start`; resolves to what its end knows by these `names`. */
// biome-ignore lint/suspicious/noExplicitAny: what it makes differs from recipe to recipe
async function run(start: string, names: string): Promise<any> {
  const [, section = ''] = (text as string).split(start);
  const [, code = ''] = /```js\n(.*?)```/s.exec(section) ?? [];
  const body = code
    .replace(/^import (\{.*?\}) from '(.*?)';$/gm, 'const $1 = MODULES["$2"];')
    .replace(/^export /gm, '');
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  return new AsyncFunction('MODULES', `${body}; return { ${names} };`)(MODULES);
}

async function read(device: GPUDevice, buffer: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
  const { MAP_READ, COPY_DST } = GPUBufferUsage;
  const copy = device.createBuffer({ size: bytes, usage: MAP_READ | COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, bytes);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const result = copy.getMappedRange().slice(0);
  copy.destroy();
  return result;
}

it(`sorts a buffer of one's own (KEYSWEEP_SEED=${runSeed()})`, async () => {
  const made = await run('# Sort a GPU buffer', 'device, depths, order, sorter, sort');
  const { device } = made;
  const depths = Float32Array.from({ length: COUNT }, () => random.unit());
  device.queue.writeBuffer(made.depths, 0, depths);
  made.sort(COUNT);
  const order = new Uint32Array(await read(device, made.order, 4 * COUNT));
  const expected = [...depths.keys()].sort((a, b) => {
    return (depths[b] as number) - (depths[a] as number) || a - b;
  });
  expect([...order]).toEqual(expected);
  expect(ours().length).toBeGreaterThan(1);
  made.sorter.destroy();
  expect(ours()).toEqual(SHARED);
  device.destroy();
});

it(`three draws from far to near (KEYSWEEP_SEED=${runSeed()})`, async () => {
  const recipe = await run('## three.js', 'makeRenderer, makeSortedPoints');
  // A target of its own: without a GPU, the browser cannot show a canvas that WebGPU draws.
  const renderer = await recipe.makeRenderer({ canvas: new OffscreenCanvas(8, 8) });
  const target = new three.RenderTarget(8, 8);
  renderer.setRenderTarget(target);

  const points = Float32Array.from({ length: 3 * COUNT }, () => 2 * random.unit() - 1);
  const camera = new three.PerspectiveCamera(1, 1, 0.1, 100);
  const sorted = await recipe.makeSortedPoints(renderer, points, camera);
  sorted.material.depthTest = false;
  sorted.material.scaleNode = tsl.float(10);
  // Each point has a colour of its own, so that one sees which of them was drawn last.
  const bits = (shift: number) => sorted.id.shiftRight(shift).bitAnd(255).toFloat().div(255);
  sorted.material.colorNode = tsl.vec4(bits(0), bits(8), 0, 1);
  renderer.outputColorSpace = three.LinearSRGBColorSpace;
  const scene = new three.Scene();
  scene.add(sorted.sprite);

  for (const [x, y, z] of [
    [0, 0, 9],
    [9, 3, 1],
    [-5, -4, -8],
  ] as const) {
    camera.position.set(x, y, z);
    camera.lookAt(0, 0, 0);
    sorted.sort();
    renderer.render(scene, camera);
    const pixels = await renderer.readRenderTargetPixelsAsync(target, 4, 4, 1, 1);
    const length = Math.hypot(x, y, z);
    const distances = Array.from({ length: COUNT }, (_, i) => {
      const [px, py, pz] = points.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
      return length - (px * x + py * y + pz * z) / length;
    });
    const drawnLast = pixels[0] + 256 * pixels[1];
    expect(distances[drawnLast]).toBeCloseTo(Math.min(...distances), 4);
  }
  expect(ours().length).toBeGreaterThan(SHARED.length + 1);
  sorted.dispose();
  expect(ours()).toEqual([...SHARED, ...SHARED]);
  target.dispose();
  renderer.dispose();
});

it(`the viewer shows points of three (KEYSWEEP_SEED=${runSeed()})`, async () => {
  // biome-ignore lint/security/noGlobalEval: other tests give it to a page as text
  globalThis.eval(TEXTURE_CANVAS);
  MODULES['./sorted-points.js'] = await run('## three.js', 'makeRenderer, makeSortedPoints');
  const points = Float32Array.from({ length: 300 }, () => random.unit() - 0.5);
  const colors = points.map((at) => at + 0.5);
  Object.assign(globalThis, { points, colors });
  const { renderer } = await run('A viewer of points', 'renderer');
  const canvas: HTMLCanvasElement = renderer.domElement;
  const shades = new Set<number>();
  while (shades.size < 20) {
    await new Promise(requestAnimationFrame);
    await globalThis.present?.();
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
    copy?.drawImage(canvas, 0, 0);
    const image = copy?.getImageData(0, 0, canvas.width, canvas.height);
    for (const word of new Uint32Array(image?.data.buffer ?? [])) shades.add(word);
  }
  renderer.setAnimationLoop(null);
  renderer.dispose();
  canvas.remove();
});
