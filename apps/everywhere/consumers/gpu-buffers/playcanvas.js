import * as pc from 'playcanvas';
import { COUNT, NEGATE, playDepths, WORKGROUPS } from './frames.js';
import { makeDepthSorter, sortOnHost } from './playcanvas-recipe.js';

const canvas = document.querySelector('canvas');
const device = await pc.createGraphicsDevice(canvas, { deviceTypes: [pc.DEVICETYPE_WEBGPU] });
const app = new pc.Application(canvas, { graphicsDevice: device });
const camera = new pc.Entity('camera');
camera.addComponent('camera');
app.root.addChild(camera);
app.start();

const usage = pc.BUFFERUSAGE_COPY_SRC | pc.BUFFERUSAGE_COPY_DST;
const [source, depths, order] = Array.from(
  { length: 3 },
  () => new pc.StorageBuffer(device, 4 * COUNT, usage),
);
const { SHADERSTAGE_COMPUTE } = pc;
const shader = new pc.Shader(device, {
  name: 'negate',
  shaderLanguage: pc.SHADERLANGUAGE_WGSL,
  cshader: NEGATE,
  computeBindGroupFormat: new pc.BindGroupFormat(device, [
    new pc.BindStorageBufferFormat('source', SHADERSTAGE_COMPUTE, true),
    new pc.BindStorageBufferFormat('depths', SHADERSTAGE_COMPUTE),
  ]),
});
const compute = new pc.Compute(device, shader, 'negate');
compute.setParameter('source', source);
compute.setParameter('depths', depths);
compute.setupDispatch(WORKGROUPS);

const sorter = await makeDepthSorter(device, depths, order, COUNT);
const readOrder = (atOnce) => order.read(0, 4 * COUNT, new Uint32Array(COUNT), atOnce);
let frames = 0;

await playDepths(
  (numbers) =>
    new Promise((resolve) => {
      app.once('update', () => {
        source.write(0, numbers);
        device.computeDispatch([compute]);
        // The last frame takes the way through the host.
        if (++frames === 5) {
          // Between frames, nobody else submits what is to be read.
          resolve(sortOnHost(depths, order, COUNT).then(() => readOrder(true)));
          return;
        }
        sorter.sort();
        resolve(readOrder(false));
      });
    }),
  () => sorter.destroy(),
);
