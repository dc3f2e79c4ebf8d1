import { StorageBuffer } from '@babylonjs/core/Buffers/storageBuffer.js';
import { FreeCamera } from '@babylonjs/core/Cameras/freeCamera.js';
import { ComputeShader } from '@babylonjs/core/Compute/computeShader.js';
import '@babylonjs/core/Engines/WebGPU/Extensions/engine.computeShader.js';
import { Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { Scene } from '@babylonjs/core/scene.js';
import { makeDepthSorter, makeEngine } from './babylon-recipe.js';
import { COUNT, NEGATE, playDepths, WORKGROUPS } from './frames.js';

const engine = await makeEngine(document.querySelector('canvas'));
const scene = new Scene(engine);
new FreeCamera('camera', Vector3.Zero(), scene);
const [source, depths, order] = Array.from(
  { length: 3 },
  () => new StorageBuffer(engine, 4 * COUNT),
);
const shader = new ComputeShader(
  'negate',
  engine,
  { computeSource: NEGATE },
  { bindingsMapping: { source: { group: 0, binding: 0 }, depths: { group: 0, binding: 1 } } },
);
shader.setStorageBuffer('source', source);
shader.setStorageBuffer('depths', depths);
while (!shader.isReady()) await new Promise((resolve) => setTimeout(resolve, 10));

const sorter = await makeDepthSorter(engine, depths, order, COUNT);
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
let beforeRender = () => {};
scene.onBeforeRenderObservable.add(() => beforeRender());
engine.runRenderLoop(() => scene.render());

await playDepths(
  async (numbers) => {
    source.update(numbers);
    const read = new Promise((resolve) => {
      beforeRender = () => {
        beforeRender = () => {};
        shader.dispatch(WORKGROUPS);
        sorter.sort();
        resolve(order.read());
      };
    });
    const { buffer } = await read;
    await frame();
    return buffer;
  },
  () => {
    engine.stopRenderLoop();
    sorter.dispose();
  },
);
